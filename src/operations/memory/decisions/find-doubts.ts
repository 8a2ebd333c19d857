import { readLinks } from "../../../domain/memory/cards/card-link.ts";
import { fallenStatuses, readDecision } from "../../../domain/memory/decisions/decision.ts";
import { fallenBelow, type Ground } from "../../../domain/memory/decisions/doubts.ts";
import type { GraphVersion, NodeContent } from "../../../domain/memory/graph.ts";
import type { GraphPlace } from "../../../domain/memory/steps/outcomes.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { checkoutOrDefault } from "../scope.ts";

type Reads = Pick<MemoryContext, "memory" | "workspace" | "state">;

/** A decision that a card rests on and that was taken back. */
export type Doubt = { id: string; title?: string | undefined };

type PlacedCard = GraphPlace & { id: string };

/** So far is looked, and at so many cards. */
const [maxRounds, maxCards, maxEdges] = [12, 500, 1_000];

const keyOf = ({ doc, id }: Pick<PlacedCard, "doc" | "id">): string => `${doc}\n${id}`;

/**
 * For each card the decisions below it that no longer count, by `doc` and ID. Nothing is stored of it: an edge that is
 * drawn later counts as well. Costs one read if nothing was ever taken back.
 */
export async function findDoubts(
  memory: Reads,
  cards: readonly PlacedCard[],
): Promise<(card: Pick<PlacedCard, "doc" | "id">) => Doubt[]> {
  if (cards.length === 0 || !(await hasFallen(memory))) return () => [];
  const known = new Map<string, Ground>();
  let round: readonly PlacedCard[] = cards;
  for (let n = 0; n < maxRounds && round.length > 0 && known.size < maxCards; n += 1)
    round = await readGround(memory, round, known);
  return (card) => fallenBelow(keyOf(card), known).map(({ id, title }) => ({ id, ...(title && { title }) }));
}

async function hasFallen(memory: Reads): Promise<boolean> {
  const { cards } = await memory.memory.linkedCards(memory.workspace, {
    checkout: checkoutOrDefault({ ...memory, writes: false }),
    facets: fallenStatuses.map((status) => `status:${status}`),
    drafts: true,
    limit: 1,
  });
  return cards.length > 0;
}

/** Learns of the cards themselves, and returns those that they rest on. */
async function readGround(
  { memory, workspace }: Reads,
  round: readonly PlacedCard[],
  known: Map<string, Ground>,
): Promise<PlacedCard[]> {
  const below: PlacedCard[] = [];
  for (const [place, ids] of groupByPlace(round)) {
    const { nodes, edges } = await memory.queryGraph(
      workspace,
      { ...place, ids, includeDeleted: false, limit: ids.length },
      { touching: ids, limit: maxEdges },
    );
    const supporters = new Map<string, string[]>();
    for (const edge of edges.edges) noteSupport(edge, supporters);
    for (const node of nodes) {
      if (node.kind !== "node") continue;
      const named = readDecision(node).restsOn;
      const ids = [...new Set([...(supporters.get(node.id) ?? []), ...named])];
      const rests = [...ids.map((id) => ({ ...place, id })), ...linkedSupporters(node)];
      below.push(...rests);
      const { id, title, type, status } = node;
      known.set(keyOf({ ...place, id }), { id, title, type, status, restsOn: rests.map(keyOf) });
    }
    // Named by a decision, and of another graph.
    for (const id of ids.filter((asked) => !known.has(keyOf({ ...place, id: asked })))) {
      const found = await memory.findNode(workspace, place.branch, id, 0);
      if (found?.node.kind !== "node") continue;
      const { title, type, status } = found.node;
      const elsewhere = { ...found.place, id };
      if (elsewhere.doc === place.doc) {
        known.set(keyOf(elsewhere), { id, title, type, status, restsOn: [] });
        continue;
      }
      below.push(elsewhere);
      known.set(keyOf({ ...place, id }), { id, type: "link", restsOn: [keyOf(elsewhere)] });
    }
  }
  return below.filter((card) => !known.has(keyOf(card)));
}

function noteSupport(edge: GraphVersion, supporters: Map<string, string[]>): void {
  if (edge.kind !== "edge" || edge.rel !== "supports") return;
  const known = supporters.get(edge.to);
  if (known) known.push(edge.from);
  else supporters.set(edge.to, [edge.from]);
}

/** Branches of plans and tasks are never deleted or renamed, so that a link to them can be followed. */
const isLasting = (branch: string): boolean => /^(?:plan|task)\//.test(branch);

/** Cards of other tasks that support this one. */
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
  return [...groups.values()].map(([place, ids]) => [place, [...new Set(ids)].slice(0, maxCards)]);
}
