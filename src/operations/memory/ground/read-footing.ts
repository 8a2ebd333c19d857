import { readLinks } from "../../../domain/memory/cards/card-link.ts";
import { restsOnIn } from "../../../domain/memory/decisions/decision.ts";
import type { GraphVersion, NodeContent } from "../../../domain/memory/graph.ts";
import { type Footing, pinsOf } from "../../../domain/memory/ground.ts";
import type { GraphPlace } from "../../../domain/memory/steps/outcomes.ts";
import type { MemoryContext } from "../../pipeline/context.ts";

type Reads = Pick<MemoryContext, "memory" | "workspace">;

export type PlacedCard = GraphPlace & { id: string };

export const keyOf = ({ doc, id }: Pick<PlacedCard, "doc" | "id">): string => `${doc}\n${id}`;

/** Limits for depth, cards, and edges per round. */
const [maxRounds, maxCards, maxEdges] = [64, 4_000, 10_000];

export type KnownFooting = {
  cards: ReadonlyMap<string, Footing>;
  /** There is more below than was read. */
  isCut: boolean;
};

/**
 * What cards rely on, round by round: cards that support them, in their own graph or from another task, and what a
 * decision names. Nothing is stored, so later edges count as well.
 */
export async function readFooting(reads: Reads, cards: readonly PlacedCard[]): Promise<KnownFooting> {
  const known = new Map<string, Footing>();
  let round: readonly PlacedCard[] = cards;
  for (let n = 0; n < maxRounds && round.length > 0; n += 1) {
    if (known.size >= maxCards) return { cards: known, isCut: true };
    round = await readRound(reads, round, known);
  }
  return { cards: known, isCut: round.length > 0 };
}

/** Records the cards themselves, and returns those they rely on. */
async function readRound(
  { memory, workspace }: Reads,
  round: readonly PlacedCard[],
  known: Map<string, Footing>,
): Promise<PlacedCard[]> {
  const below: PlacedCard[] = [];
  for (const [place, ids] of groupByPlace(round)) {
    const { nodes, edges } = await memory.queryGraph(
      workspace,
      { ...place, ids, includeDeleted: false, limit: ids.length },
      { into: ids, limit: maxEdges },
    );
    const supporters = new Map<string, string[]>();
    for (const edge of edges.edges) noteSupport(edge, supporters);
    for (const node of nodes) {
      if (node.kind !== "node") continue;
      const named = new Set([...(supporters.get(node.id) ?? []), ...restsOnIn(node.meta)]);
      const rests = [...[...named].map((id) => ({ ...place, id })), ...linkedSupporters(node)];
      below.push(...rests);
      known.set(keyOf({ ...place, id: node.id }), toFooting(node, rests.map(keyOf)));
    }
    // A decision names it, but the branch does not show it in this graph.
    for (const id of ids.filter((asked) => !known.has(keyOf({ ...place, id: asked })))) {
      const found = await memory.findNode(workspace, place.branch, id, 0);
      const missing = { id, type: "link", pins: [], restsOn: [] };
      const key = keyOf({ ...place, id });
      if (found?.node.kind !== "node") known.set(key, missing);
      else if (found.place.doc === place.doc) known.set(key, toFooting(found.node, []));
      else {
        below.push({ ...found.place, id });
        known.set(key, { ...missing, restsOn: [keyOf({ ...found.place, id })] });
      }
    }
  }
  return below.filter((card) => !known.has(keyOf(card)));
}

const toFooting = (
  { id, title, type, status, meta }: NodeContent & { id: string },
  restsOn: readonly string[],
): Footing => ({ id, title, type, status, pins: pinsOf(meta), restsOn });

function noteSupport(edge: GraphVersion, supporters: Map<string, string[]>): void {
  if (edge.kind !== "edge" || edge.rel !== "supports") return;
  const known = supporters.get(edge.to);
  if (known) known.push(edge.from);
  else supporters.set(edge.to, [edge.from]);
}

/** Branches of plans and tasks are never deleted or renamed, so links to them stay valid. */
const isLasting = (branch: string): boolean => /^(?:plan|task)\//.test(branch);

/** Cards in other tasks that support this one. */
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
