import type { CardEdge, CardNode } from "../memory/cards/card.ts";

export type SliceEntry = {
  seq: number;
  ts_ms: number;
  card_type?: string | undefined;
};

/** The cards and edges of a view. The engine has no other input. */
export type Slice = {
  cards: readonly CardNode[];
  edges: readonly CardEdge[];
  /** Draft decisions that the view omits. */
  drafts?: readonly CardNode[] | undefined;
  /** Newest last. */
  trace?: readonly SliceEntry[] | undefined;
};

/** The slice, with its edges indexed in both directions. Edges to cards outside the slice are ignored. */
export type Linked = {
  cards: readonly CardNode[];
  drafts: readonly CardNode[];
  byId: ReadonlyMap<string, CardNode>;
  /** Returns the cards that point to this card with the relation, in slice order. */
  into(card: CardNode, rel: string): readonly CardNode[];
  /** Returns the cards that this card points to with the relation. */
  outOf(card: CardNode, rel: string): readonly CardNode[];
  /** The newest time in the slice, which the engine uses as the current time. */
  now: number;
};

export function linkSlice({ cards, edges, drafts = [], trace = [] }: Slice): Linked {
  const byId = new Map(cards.map((card) => [card.id, card]));
  const incoming = new Map<string, CardNode[]>();
  const outgoing = new Map<string, CardNode[]>();
  const add = (index: Map<string, CardNode[]>, key: string, card: CardNode): void => {
    const list = index.get(key);
    if (list) list.push(card);
    else index.set(key, [card]);
  };
  for (const { from, rel, to } of orderEdges(edges)) {
    const [source, target] = [byId.get(from), byId.get(to)];
    if (!source || !target || source === target) continue;
    add(incoming, `${rel}|${to}`, source);
    add(outgoing, `${rel}|${from}`, target);
  }
  let now = 0;
  for (const { last_ts_ms } of cards) now = Math.max(now, last_ts_ms);
  for (const { ts_ms } of trace) now = Math.max(now, ts_ms);
  return {
    cards,
    drafts: drafts.filter(({ id }) => !byId.has(id)),
    byId,
    into: (card, rel) => incoming.get(`${rel}|${card.id}`) ?? [],
    outOf: (card, rel) => outgoing.get(`${rel}|${card.id}`) ?? [],
    now,
  };
}

/** Sorts the edges and removes duplicates, so that the result does not depend on the store's order. */
function orderEdges(edges: Slice["edges"]): CardEdge[] {
  const unique = new Map(edges.map((edge) => [`${edge.from}|${edge.rel}|${edge.to}`, edge]));
  return [...unique.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, edge]) => edge);
}
