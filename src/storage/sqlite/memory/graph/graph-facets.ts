import type { GraphVersion } from "../../../../domain/memory/graph.ts";
import { nodeFacets } from "../../../../domain/memory/views/card-facets.ts";
import { readVersions, type WritableGraph } from "./graph-view.ts";

type Graph = Pick<WritableGraph, "place" | "doc" | "bid">;
/** What nodes are filtered by, in one index: of versions the facets that they have. */
type Facets = Iterable<readonly [seq: number, facets: readonly string[]]>;

const facetsOf = (version: GraphVersion): string[] =>
  version.kind === "node" && !version.deleted ? [...new Set(nodeFacets(version))] : [];

const storedFacets = ({ place }: Graph, seqs: readonly number[]): Facets =>
  [...readVersions(place, seqs).values()].map(({ version }) => [version.last_seq, facetsOf(version)]);

/** In the order of the index, in which rows are found and written fastest. */
function inOrder(facets: Facets): string {
  const byFacet = new Map<string, number[]>();
  for (const [seq, names] of facets)
    for (const name of names) {
      const seqs = byFacet.get(name);
      if (seqs) seqs.push(seq);
      else byFacet.set(name, [seq]);
    }
  return JSON.stringify([...byFacet].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Call inside a write, after the versions were written. */
export function insertFacets(graph: Graph, seqs: readonly number[]): void {
  if (seqs.length > 0) writeFacets(graph, storedFacets(graph, seqs));
}

/** Call inside a write. */
export function writeFacets({ place, doc, bid }: Graph, facets: Facets): void {
  place.connection
    .sql(
      `INSERT INTO graph_facets (doc, bid, facet, seq)
       SELECT ?2, ?3, f.value ->> 0, s.value FROM json_each(?1) f CROSS JOIN json_each(f.value, '$[1]') s`,
    )
    .run(inOrder(facets), doc, bid);
}

/** Call inside a write, while the versions are still there. */
export function deleteFacets(graph: Graph, seqs: readonly number[]): void {
  if (seqs.length > 0) removeFacets(graph, storedFacets(graph, seqs));
}

/** Call inside a write. */
export function removeFacets({ place, doc, bid }: Graph, facets: Facets): void {
  place.connection
    .sql(
      `DELETE FROM graph_facets WHERE (doc, bid, facet, seq) IN (
       SELECT ?2, ?3, f.value ->> 0, s.value FROM json_each(?1) f CROSS JOIN json_each(f.value, '$[1]') s)`,
    )
    .run(inOrder(facets), doc, bid);
}
