import type { GraphVersion } from "../../domain/memory/graph.ts";
import { hasFacets } from "../../domain/memory/views/selection.ts";
import type { NodeQuery } from "../../ports/memory/graph.ts";

/** The facets of the filter that finds candidates, any of which may match. Empty if all nodes are read. */
export function leadingFacets({ facets, tagsAll, tagsAny, status, types }: NodeQuery): readonly string[] {
  const tag = tagsAll?.[0];
  if (tag !== undefined) return [`tag:${tag}`];
  if (facets) return facets.any;
  if (tagsAny && tagsAny.length > 0) return tagsAny.map((any) => `tag:${any}`);
  if (types && types.length > 0) return types.map((type) => `type:${type}`);
  return status === undefined ? [] : [`status:${status}`];
}

/** The facets that every node must have, whichever filter finds the candidates. */
export function requiredFacets({ facets, tagsAll = [], status, types }: NodeQuery): string[] {
  return [
    ...(facets?.all ?? []),
    ...(facets?.any.length === 1 ? facets.any : []),
    ...tagsAll.map((tag) => `tag:${tag}`),
    ...(types?.length === 1 ? [`type:${types[0]}`] : []),
    ...(status === undefined ? [] : [`status:${status}`]),
  ];
}

/** Whether a version is a node that matches the query. Does not check words. */
export function matchesQuery(version: GraphVersion, query: NodeQuery): boolean {
  if (version.kind !== "node" || (version.deleted && !query.includeDeleted)) return false;
  const { types, status, tagsAny, tagsAll, facets } = query;
  const tags = version.tags ?? [];
  return (
    (types === undefined || types.length === 0 || types.includes(version.type)) &&
    (status === undefined || version.status === status) &&
    (tagsAny === undefined || tagsAny.length === 0 || tagsAny.some((tag) => tags.includes(tag))) &&
    (tagsAll === undefined || tagsAll.every((tag) => tags.includes(tag))) &&
    (facets === undefined || hasFacets(version, facets))
  );
}
