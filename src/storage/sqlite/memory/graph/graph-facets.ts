import { nodeFacets } from "../../../../domain/memory/views/card-facets.ts";
import { readVersions, type WritableGraph } from "./graph-view.ts";

type Graph = Pick<WritableGraph, "place" | "doc" | "bid">;

/** What nodes are filtered by, in one index: pairs of a facet and the version that has it. */
function facetsOf({ place }: Graph, seqs: readonly number[]): string {
  const pairs = [...readVersions(place, seqs).values()].flatMap(({ version }) =>
    version.kind === "node" && !version.deleted
      ? [...new Set(nodeFacets(version))].map((facet) => [facet, version.last_seq])
      : [],
  );
  return JSON.stringify(pairs);
}

/** Call inside a write, after the versions were written. */
export function insertFacets(graph: Graph, seqs: readonly number[]): void {
  if (seqs.length === 0) return;
  graph.place.connection
    .sql(
      `INSERT INTO graph_facets (doc, bid, facet, seq)
       SELECT ?2, ?3, value ->> 0, value ->> 1 FROM json_each(?1)`,
    )
    .run(facetsOf(graph, seqs), graph.doc, graph.bid);
}

/** Call inside a write, while the versions are still there. */
export function deleteFacets(graph: Graph, seqs: readonly number[]): void {
  if (seqs.length === 0) return;
  graph.place.connection
    .sql(
      `DELETE FROM graph_facets WHERE (doc, bid, facet, seq) IN
       (SELECT ?2, ?3, value ->> 0, value ->> 1 FROM json_each(?1))`,
    )
    .run(facetsOf(graph, seqs), graph.doc, graph.bid);
}
