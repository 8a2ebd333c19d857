import { type CardNode, isThinkType } from "../../../../domain/memory/cards/card.ts";
import type { GraphVersion } from "../../../../domain/memory/graph.ts";
import { facetsFor } from "../../../../domain/memory/views/card-facets.ts";
import type { CardFilter } from "../../../../domain/memory/views/card-filter.ts";
import { queryNodes } from "../graph/graph-query.ts";
import type { GraphView } from "../graph/graph-view.ts";

/** The newest cards for each filter, by the marks that they carry. */
export function selectCards<Name extends string>(
  view: GraphView,
  filters: Readonly<Record<Name, CardFilter>>,
): Record<Name, CardNode[]> {
  const found = Object.entries<CardFilter>(filters).map(
    ([name, filter]) => [name, select(view, filter)] as const,
  );
  return Object.fromEntries(found) as Record<Name, CardNode[]>;
}

function select(view: GraphView, filter: CardFilter): CardNode[] {
  if (filter.limit === 0) return [];
  const query = {
    branch: "",
    doc: "",
    facets: facetsFor(filter),
    includeDeleted: false,
    limit: filter.limit,
  };
  return queryNodes(view, query).nodes.flatMap(toCard);
}

export function toCard(version: GraphVersion): CardNode[] {
  if (version.kind !== "node" || !isThinkType(version.type)) return [];
  const { kind: _kind, deleted: _deleted, type, status = "open", tags = [], ...rest } = version;
  return [{ ...rest, type, status, tags }];
}
