import type { WritableGraph } from "./graph-view.ts";

/** What nodes are filtered by, in one index: `type:…`, `status:…`, `tag:…`. */
const facetsOfVersions = `
  WITH listed (seq, kind, deleted, type, status, tags) AS (
    SELECT v.seq, v.kind, v.deleted, v.type, v.status, v.tags
    FROM json_each(?1) s JOIN graph_versions v ON v.seq = s.value)
  SELECT seq, 'type:' || type AS facet FROM listed WHERE kind = 'node' AND deleted = 0
  UNION SELECT seq, 'status:' || status FROM listed WHERE kind = 'node' AND deleted = 0 AND coalesce(status, '') <> ''
  UNION SELECT seq, 'tag:' || t.value FROM listed, json_each(listed.tags) t
    WHERE kind = 'node' AND deleted = 0 AND tags IS NOT NULL`;

/** Call inside a write, after the versions were written. */
export function insertFacets(
  { place, doc, bid }: Pick<WritableGraph, "place" | "doc" | "bid">,
  seqs: readonly number[],
): void {
  place.connection
    .sql(
      `INSERT INTO graph_facets (doc, bid, facet, seq) SELECT ?2, ?3, facet, seq FROM (${facetsOfVersions})`,
    )
    .run(JSON.stringify(seqs), doc, bid);
}

/** Call inside a write, while the versions are still there. */
export function deleteFacets(
  { place, doc, bid }: Pick<WritableGraph, "place" | "doc" | "bid">,
  seqs: readonly number[],
): void {
  if (seqs.length === 0) return;
  place.connection
    .sql(
      `DELETE FROM graph_facets WHERE (doc, bid, facet, seq) IN (SELECT ?2, ?3, facet, seq FROM (${facetsOfVersions}))`,
    )
    .run(JSON.stringify(seqs), doc, bid);
}
