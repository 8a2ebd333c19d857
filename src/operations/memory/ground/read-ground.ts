import * as z from "zod";
import { nameOf } from "../../../domain/memory/cards/card.ts";
import {
  containsRange,
  type GroundState,
  groundTag,
  type Pin,
  pinRange,
  pinsOf,
  worstGround,
} from "../../../domain/memory/ground.ts";
import type { GraphPlace } from "../../../domain/memory/steps/outcomes.ts";
import { maxLinks } from "../../../ports/memory/memory-store.ts";
import type { Repository } from "../../../ports/repository.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { checkoutOrDefault } from "../scope.ts";
import { findOwnRepository } from "../why/find-subject.ts";

export type GroundContext = Pick<
  MemoryContext,
  "memory" | "workspace" | "state" | "repositories" | "caller" | "workingDirectory"
>;
type PlacedCard = GraphPlace & { id: string };

/** Whether a card's files are as they were, and those of what it rests on. Absent if neither is pinned to a file. */
export const groundShape = {
  ground: z.enum(["holds", "moved", "unknown"]).optional(),
  /** Files whose text is different now. */
  ground_moved: z.array(z.string()).optional(),
};
export type CardGround = { ground: GroundState; ground_moved?: string[] };

/** A file, or lines of it, with what they contain now. What git does not know is not pinned. */
export async function pinFiles<File extends { path: string; lines?: string | undefined }>(
  context: GroundContext,
  files: readonly File[],
): Promise<(File | (File & Pin))[]> {
  const repository = files.length === 0 ? undefined : await findOwnRepository(context as MemoryContext);
  if (!repository) return [...files];
  const heads = await repository.findBlobs(files.map(({ path }) => path));
  return Promise.all(
    files.map(async (file) => {
      const [working, text] = await Promise.all([
        repository.hashWorkingFile(file.path),
        repository.readWorkingFile(file.path),
      ]);
      const blobs = [...new Set([working, heads.get(file.path)].flatMap((one) => one ?? []))];
      if (blobs.length === 0) return file;
      const range = file.lines === undefined || text === undefined ? undefined : pinRange(text, file.lines);
      return { ...file, blobs, ...(range && { range }) };
    }),
  );
}

/** So far below a card is looked, and at so many cards. */
const [maxRounds, maxCards, maxEdges] = [12, 500, 1_000];

const keyOf = ({ doc, id }: Pick<PlacedCard, "doc" | "id">): string => `${doc}\n${id}`;

/**
 * Compares what cards are pinned to with HEAD of the caller's repository. Nothing is stored of it. It costs one read if no
 * card has a pin, and two calls of git if some have.
 */
export async function findGround(
  context: GroundContext,
  cards: readonly PlacedCard[],
): Promise<(card: Pick<PlacedCard, "doc" | "id">) => CardGround | undefined> {
  if (!context.state || cards.length === 0) return () => undefined;
  const pinned = await listPinned(context);
  const pins = new Map(pinned.map((card) => [keyOf(card), { id: card.id, pins: pinsOf(card.meta) }]));
  if (pins.size === 0) return () => undefined;
  const compare = await comparePins(
    context,
    [...pins.values()].flatMap((one) => one.pins),
  );
  const below = await readBelow(context, cards);
  return (card) => {
    const reached = reach(keyOf(card), below);
    const found = reached.flatMap((key) => {
      const one = pins.get(key);
      return one ? one.pins.map((pin) => ({ id: one.id, pin, state: compare(pin) })) : [];
    });
    const ground = worstGround(found.map(({ state }) => state));
    if (ground === undefined) return undefined;
    const moved = found.filter(({ state }) => state === "moved");
    const named = moved.map(({ id, pin }) => `${id === card.id ? "" : `${id}: `}${pin.path}${linesOf(pin)}`);
    return { ground, ...(moved.length > 0 && { ground_moved: [...new Set(named)] }) };
  };
}

async function listPinned(context: GroundContext) {
  const { cards } = await context.memory.linkedCards(context.workspace, {
    checkout: checkoutOrDefault({ ...context, writes: false }),
    facets: [`tag:${groundTag}`],
    drafts: true,
    limit: maxLinks,
  });
  return cards;
}

/** Cards that are pinned to a file, the last changed first, with whether it still contains the pinned text. */
export async function findPinned(context: GroundContext, path: string, most: number) {
  if (!context.state) return [];
  const cards = (await listPinned(context))
    .filter(({ meta }) => pinsOf(meta).some((pin) => pin.path === path))
    .sort((a, b) => b.last_seq - a.last_seq)
    .slice(0, most);
  const groundOf = await findGround(context, cards);
  return cards.map((card) => ({ id: card.id, title: nameOf(card), ...groundOf(card) }));
}

const linesOf = ({ lines }: Pin): string => (lines === undefined ? "" : `:${lines}`);

/** One look at HEAD for all files. Only files with pinned lines are read. */
async function comparePins(context: GroundContext, pins: readonly Pin[]): Promise<(pin: Pin) => GroundState> {
  const repository = await findOwnRepository(context as MemoryContext);
  if (!repository || repository.head === undefined) return () => "unknown";
  const heads = await repository.findBlobs([...new Set(pins.map(({ path }) => path))]);
  const isSame = ({ path, blobs }: Pin) => blobs.includes(heads.get(path) ?? "");
  const texts = await readRanges(
    repository,
    pins.filter((pin) => pin.range && heads.has(pin.path) && !isSame(pin)).map(({ path }) => path),
  );
  return (pin) => {
    if (isSame(pin)) return "holds";
    const text = texts.get(`${repository.head}:${pin.path}`);
    return pin.range && text !== undefined && containsRange(text, pin.range) ? "holds" : "moved";
  };
}

const readRanges = (repository: Repository, paths: readonly string[]) =>
  repository.readTexts([...new Set(paths)].map((path) => `${repository.head}:${path}`));

/** For each card what it rests on, as far down as it goes. */
async function readBelow(
  { memory, workspace }: GroundContext,
  cards: readonly PlacedCard[],
): Promise<Map<string, string[]>> {
  const below = new Map<string, string[]>();
  let round = [...cards];
  for (let n = 0; n < maxRounds && round.length > 0 && below.size < maxCards; n += 1) {
    const next: PlacedCard[] = [];
    for (const [place, ids] of groupByPlace(round)) {
      const { edges } = await memory.queryGraph(
        workspace,
        { ...place, ids, includeDeleted: false, limit: ids.length },
        { touching: ids, limit: maxEdges },
      );
      for (const id of ids) below.set(keyOf({ ...place, id }), []);
      for (const edge of edges.edges) {
        if (edge.kind !== "edge" || edge.rel !== "supports") continue;
        below.get(keyOf({ ...place, id: edge.to }))?.push(keyOf({ ...place, id: edge.from }));
        next.push({ ...place, id: edge.from });
      }
    }
    round = next.filter((card) => !below.has(keyOf(card)));
  }
  return below;
}

function groupByPlace(cards: readonly PlacedCard[]): [GraphPlace, string[]][] {
  const groups = new Map<string, [GraphPlace, string[]]>();
  for (const { branch, doc, id } of cards) {
    const group = groups.get(`${branch}\n${doc}`) ?? [{ branch, doc }, []];
    group[1].push(id);
    groups.set(`${branch}\n${doc}`, group);
  }
  return [...groups.values()].map(([place, ids]) => [place, [...new Set(ids)].slice(0, maxCards)]);
}

function reach(from: string, below: ReadonlyMap<string, readonly string[]>): string[] {
  const seen = new Set([from]);
  for (const key of seen) for (const next of below.get(key) ?? []) seen.add(next);
  return [...seen];
}
