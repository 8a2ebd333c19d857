import { readLinks } from "../../../domain/memory/cards/card-link.ts";
import { restsOnIn } from "../../../domain/memory/decisions/decision.ts";
import type { NodeContent } from "../../../domain/memory/graph.ts";
import { type Footing, pinsOf } from "../../../domain/memory/ground.ts";
import type { GraphPlace } from "../../../domain/memory/steps/outcomes.ts";
import type { MemoryContext } from "../../pipeline/context.ts";

type Reads = Pick<MemoryContext, "memory" | "workspace">;

export type PlacedCard = GraphPlace & { id: string };

const keyIn = (doc: string, id: string): string => `${doc}\n${id}`;
export const keyOf = ({ doc, id }: Pick<PlacedCard, "doc" | "id">): string => keyIn(doc, id);

/** Limits for depth, cards, and edges per level. */
const [maxRounds, maxCards, maxEdges] = [64, 4_000, 10_000];

export type KnownFooting = {
  cards: ReadonlyMap<string, Footing>;
  /** Set if a limit was reached. */
  isCut: boolean;
};

/**
 * Reads what cards rely on: the cards that support them, in their own graphs or in other tasks, and for decisions
 * also the cards that they list. The result is computed at each read, so it includes edges that were added later.
 */
export async function readFooting(reads: Reads, cards: readonly PlacedCard[]): Promise<KnownFooting> {
  const known = new Map<string, Footing>();
  let round: readonly PlacedCard[] = cards;
  for (let n = 0; n < maxRounds && round.length > 0; n += 1) {
    if (known.size >= maxCards) return { cards: known, isCut: true };
    const { below, isCut } = await readRound(reads, round, known);
    if (isCut) return { cards: known, isCut };
    round = below;
  }
  return { cards: known, isCut: round.length > 0 };
}

/** Adds the cards and their supporters in the same graphs to `known`. Returns the supporters in other graphs. */
async function readRound(
  { memory, workspace }: Reads,
  round: readonly PlacedCard[],
  known: Map<string, Footing>,
): Promise<{ below: PlacedCard[]; isCut: boolean }> {
  const below: PlacedCard[] = [];
  let isCut = false;
  for (const [place, ids] of groupByPlace(round)) {
    const found = await memory.readSupport(workspace, place, ids, {
      isKnown: (id) => known.has(keyIn(place.doc, id)),
      nodes: maxCards - known.size,
      levels: maxRounds,
      edges: maxEdges,
    });
    isCut ||= found.isCut;
    for (const node of found.nodes) {
      const rests = new Set(node.supporters.map((id) => keyIn(place.doc, id)));
      const elsewhere = [
        ...restsOnIn(node.meta).map((id) => ({ ...place, id })),
        ...linkedSupporters(node),
      ].filter((card) => !rests.has(keyOf(card)));
      for (const card of elsewhere) rests.add(keyOf(card));
      below.push(...elsewhere);
      known.set(keyIn(place.doc, node.id), toFooting(node, [...rests]));
    }
    // A decision lists the card, but the card is not visible on the branch in this graph.
    for (const id of found.absent) {
      const elsewhere = await memory.findNode(workspace, place.branch, id, 0);
      const missing = { id, type: "link", pins: [], restsOn: [] };
      const key = keyIn(place.doc, id);
      if (elsewhere?.node.kind !== "node") known.set(key, missing);
      else if (elsewhere.place.doc === place.doc) known.set(key, toFooting(elsewhere.node, []));
      else {
        below.push({ ...elsewhere.place, id });
        known.set(key, { ...missing, restsOn: [keyOf({ ...elsewhere.place, id })] });
      }
    }
  }
  return { below: below.filter((card) => !known.has(keyOf(card))), isCut };
}

const toFooting = (
  { id, title, type, status, meta }: Omit<NodeContent, "text" | "tags"> & { id: string },
  restsOn: readonly string[],
): Footing => ({ id, title, type, status, pins: pinsOf(meta), restsOn });

/** True for branches of plans and tasks. They are never deleted or renamed, so links to them stay valid. */
const isLasting = (branch: string): boolean => /^(?:plan|task)\//.test(branch);

const linkedSupporters = ({ meta }: Pick<NodeContent, "meta">): PlacedCard[] =>
  readLinks(meta).flatMap(({ rel, from, branch, doc }) =>
    rel === "supports" && from !== undefined && isLasting(branch) ? [{ id: from, branch, doc }] : [],
  );

function groupByPlace(cards: readonly PlacedCard[]): [GraphPlace, string[]][] {
  const groups = new Map<string, [GraphPlace, string[]]>();
  for (const { branch, doc, id } of cards) {
    const group = groups.get(`${branch}\n${doc}`) ?? [{ branch, doc }, []];
    group[1].push(id);
    groups.set(`${branch}\n${doc}`, group);
  }
  return [...groups.values()].map(([place, ids]) => [place, [...new Set(ids)]]);
}
