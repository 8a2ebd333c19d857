import { posix } from "node:path";
import * as z from "zod";
import { nameOf } from "../../../domain/memory/cards/card.ts";
import {
  fallenStatuses,
  isAbout,
  isFallen,
  isOfCommit,
  readDecision,
  shortestCommit,
  stateOfDecision,
} from "../../../domain/memory/decisions/decision.ts";
import {
  type ComparedPin,
  type Footing,
  footingOf,
  type GroundState,
  groundTag,
  type Pin,
  pinRange,
  pinsOf,
  worstGround,
} from "../../../domain/memory/ground.ts";
import { maxLinks } from "../../../ports/memory/memory-store.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { checkoutOrDefault } from "../scope.ts";
import { findOwnRepository } from "../why/find-subject.ts";
import { keyOf, type PlacedCard, readFooting } from "./read-footing.ts";

export type GroundContext = Pick<
  MemoryContext,
  "memory" | "workspace" | "state" | "repositories" | "caller" | "workingDirectory"
>;

/** Absent if neither the card nor any card it relies on is pinned to a file. */
export const groundShape = {
  ground: z.enum(["holds", "moved", "unknown"]).optional(),
  /** Files whose text changed. */
  ground_moved: z.array(z.string()).optional(),
  /** The current text of pinned lines, or a note that the lines or the file were deleted. */
  ground_now: z.array(z.string()).optional(),
};
export type CardGround = { ground: GroundState; ground_moved?: string[]; ground_now?: string[] };

/** Adds the current content to each file or range of lines. Files outside git are not pinned. */
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

export type Doubt = { id: string; title?: string | undefined };

export type CardMarks = { doubts: readonly Doubt[]; ground?: CardGround | undefined };

const pinned = `tag:${groundTag}`;
const fallen = fallenStatuses.map((status) => `status:${status}`);

/**
 * Reports reversed decisions that the cards rely on, and pinned files that differ from HEAD in the caller's
 * repository. Needs one lookup if nothing has ever been pinned or reversed.
 */
export async function markCards(
  context: GroundContext,
  cards: readonly PlacedCard[],
): Promise<(card: Pick<PlacedCard, "doc" | "id">) => CardMarks> {
  const { memory, workspace, state } = context;
  if (!state || cards.length === 0 || !(await memory.hasCarried(workspace, [pinned, ...fallen])))
    return () => ({ doubts: [] });
  const { cards: known, isCut } = await readFooting(context, cards);
  const compare = await comparePins(
    context,
    [...known.values()].flatMap(({ pins }) => pins),
  );
  return (card) => {
    const [self, ...below] = footingOf(keyOf(card), known);
    const doubts = below.filter(isFallen).map(({ id, title }) => ({ id, ...(title && { title }) }));
    return { doubts, ground: self && groundOf([self, ...below], compare, isCut) };
  };
}

function groundOf(
  [self, ...below]: readonly Footing[],
  compare: (pin: Pin) => ComparedPin,
  isCut: boolean,
): CardGround | undefined {
  const found = [self, ...below].flatMap((footing) =>
    (footing?.pins ?? []).map((pin) => ({ id: footing?.id, pin, ...compare(pin) })),
  );
  const worst = worstGround(found.map(({ state }) => state));
  if (worst === undefined) return undefined;
  const moved = found.filter(({ state }) => state === "moved");
  const named = moved.map(({ id, pin }) => `${id === self?.id ? "" : `${id}: `}${pin.path}${linesOf(pin)}`);
  const now = moved.flatMap((one) => one.now ?? []);
  const ground = worst === "holds" && isCut ? "unknown" : worst;
  return {
    ground,
    ...(moved.length > 0 && { ground_moved: [...new Set(named)] }),
    ...(now.length > 0 && { ground_now: [...new Set(now)] }),
  };
}

/** Describes the current text of pinned lines, then the other files that changed. */
export function wordMoved({
  ground_moved: moved = [],
  ground_now: now = [],
}: {
  ground_moved?: readonly string[] | undefined;
  ground_now?: readonly string[] | undefined;
}): string[] {
  const fileOf = (name: string) => name.replace(/^\S+: /, "").replace(/:[\d-]+$/, "");
  return [...now, ...moved.filter((name) => !now.some((one) => one.startsWith(fileOf(name))))];
}

/** What a call to `why` is about: paths in the repository, commits, and IDs. */
export type Named = { paths: readonly string[]; commits: readonly string[]; ids?: readonly string[] };

/**
 * Finds decisions that refer to a file or commit, and cards pinned to a file, last changed first. Each
 * decision or card shows whether it still applies, and whether the file still contains the pinned text.
 */
export async function findNaming(context: GroundContext, { paths, commits, ids = [] }: Named, most: number) {
  const { memory, workspace, state } = context;
  const facets = [pinned, "type:decision"];
  if (!state || !(await memory.hasCarried(workspace, facets))) return [];
  const linked = await memory.linkedCards(workspace, {
    checkout: checkoutOrDefault({ ...context, writes: false }),
    facets,
    naming: [
      ...paths.map((path) => posix.basename(path)),
      ...commits.map((sha) => sha.slice(0, shortestCommit)),
      ...ids,
    ],
    drafts: true,
    limit: maxLinks,
  });
  const cards = linked.cards
    .filter((card) => {
      const decision = readDecision(card);
      return (
        ids.includes(card.id) ||
        isOfCommit(decision, commits) ||
        paths.some((path) => isAbout(decision, path) || pinsOf(card.meta).some((pin) => pin.path === path))
      );
    })
    .sort((a, b) => b.last_seq - a.last_seq)
    .slice(0, most);
  const marksOf = await markCards(context, cards);
  return cards.map((card) => {
    const { doubts, ground } = marksOf(card);
    return {
      id: card.id,
      title: nameOf(card),
      ...(card.type === "decision" && { state: stateOfDecision(card, doubts) }),
      ...ground,
    };
  });
}

const linesOf = ({ lines }: Pin): string => (lines === undefined ? "" : `:${lines}`);

/** Returns a function that compares a pin with HEAD. Calls git once for all pins. */
async function comparePins(context: GroundContext, pins: readonly Pin[]): Promise<(pin: Pin) => ComparedPin> {
  const repository = pins.length === 0 ? undefined : await findOwnRepository(context as MemoryContext);
  const compared = (await repository?.comparePins(pins)) ?? [];
  const known = new Map(pins.map((pin, at) => [pin, compared[at]]));
  return (pin) => known.get(pin) ?? { state: "unknown" };
}
