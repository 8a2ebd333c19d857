import type { GraphVersion } from "../../../../domain/memory/graph.ts";
import { endOfTime } from "../../../../domain/memory/lineage.ts";
import {
  type EdgePage,
  type EdgeQuery,
  type EdgesBeside,
  maxCountedEdges,
} from "../../../../ports/memory/graph.ts";
import { currentAmong, type GraphView } from "./graph-view.ts";

/** Asked pair by pair, so that a node with many edges costs no more than others. */
const among = `SELECT DISTINCT v.seq FROM json_each(?1) n CROSS JOIN graph_versions v
  ON v.doc = ?2 AND v.source = n.value AND v.target IN (SELECT value FROM json_each(?1))
  AND v.visible = 1 AND v.kind = 'edge' AND v.deleted = 0 AND v.seq < ?4 ORDER BY v.seq DESC LIMIT ?3`;

const atEnd = (column: "source" | "target"): string =>
  `SELECT v.seq FROM json_each(?1) n CROSS JOIN graph_versions v
   ON v.doc = ?2 AND v.${column} = n.value AND v.visible = 1 AND v.kind = 'edge' AND v.deleted = 0 AND v.seq < ?4`;
const touching = `SELECT seq FROM (${atEnd("source")} UNION ${atEnd("target")}) ORDER BY seq DESC LIMIT ?3`;

/** Live edges of the view at these nodes, newest first. */
export function queryEdges(
  view: GraphView,
  { ids, ends, before = endOfTime, limit }: Omit<EdgeQuery, "branch" | "doc">,
): EdgePage {
  const none = { edges: [], total: 0, hasMore: false };
  if (view.doc === undefined || ids.length === 0 || limit === 0) return none;
  const nodes = JSON.stringify([...new Set(ids)]);
  const select = view.place.connection.sql(ends === "among" ? among : touching);
  const newestBelow = (end: number) => {
    const seqs = select.all(nodes, view.doc ?? 0, maxCountedEdges, end).map((row) => Number(row["seq"]));
    return {
      edges: currentAmong(view, seqs).map(({ version }) => version),
      end: seqs.at(-1) ?? 0,
      isLast: seqs.length < maxCountedEdges,
    };
  };
  const counted = newestBelow(endOfTime);
  const rest = counted.edges.filter(({ last_seq }) => last_seq < before);
  for (let { end, isLast } = counted; !isLast && rest.length <= limit; ) {
    const older = newestBelow(Math.min(end, before));
    for (const edge of older.edges) rest.push(edge);
    ({ end, isLast } = older);
  }
  return { edges: rest.slice(0, limit), total: counted.edges.length, hasMore: rest.length > limit };
}

/** Those that go with a page of nodes. */
export const edgesBeside = (
  view: GraphView,
  nodes: readonly GraphVersion[],
  { touching, ...page }: EdgesBeside,
): EdgePage =>
  queryEdges(view, {
    ids: touching ?? nodes.flatMap((node) => (node.kind === "node" ? [node.id] : [])),
    ends: touching ? "touching" : "among",
    ...page,
  });
