import type { CardNode } from "../../../../domain/memory/cards/card.ts";
import { type CardFilter, facetsFor } from "../../../../domain/memory/views/card-facets.ts";
import type { Stored } from "../../../rows/graph-rows.ts";
import { toCard } from "../../../rows/memory-rows.ts";
import { findMarked, type LookUps, queryNodes } from "../graph/graph-query.ts";
import { currentAmong, type GraphView } from "../graph/graph-view.ts";

/**
 * The newest cards for each filter, by the marks that they carry. Lists overlap: the longest are made first, and a card
 * that one of them has found is not read again.
 */
export function selectCards<Name extends string>(
  view: GraphView,
  filters: Readonly<Record<Name, CardFilter>>,
): Record<Name, CardNode[]> {
  const inOrder = Object.entries<CardFilter>(filters).toSorted(
    ([, one], [, other]) => other.limit - one.limit,
  );
  const facets = inOrder.flatMap(([, filter]) => (filter.limit > 0 ? facetsFor(filter).any : []));
  const lookUps = { current: rememberCurrent(view), markedBranches: findMarked(view, facets) };
  const found = inOrder.map(([name, filter]) => [name, select(view, filter, lookUps)] as const);
  return Object.fromEntries(found) as Record<Name, CardNode[]>;
}

function rememberCurrent(view: GraphView): LookUps["current"] {
  const known = new Map<number, Stored | undefined>();
  return (seqs) => {
    const missing = seqs.filter((seq) => !known.has(seq));
    for (const seq of missing) known.set(seq, undefined);
    const read = missing.length === 0 ? [] : currentAmong(view, missing);
    for (const stored of read) known.set(stored.version.last_seq, stored);
    return seqs.flatMap((seq) => known.get(seq) ?? []);
  };
}

function select(view: GraphView, filter: CardFilter, lookUps: LookUps): CardNode[] {
  if (filter.limit === 0) return [];
  const query = {
    branch: "",
    doc: "",
    facets: facetsFor(filter),
    includeDeleted: false,
    before: filter.before,
    limit: filter.limit,
  };
  return queryNodes(view, query, lookUps).nodes.flatMap(toCard);
}
