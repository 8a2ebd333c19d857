import { endOfTime } from "../../../../domain/memory/lineage.ts";
import { type EdgePage, type EdgeQuery, maxCountedEdges } from "../../../../ports/memory/graph.ts";
import { currentAmong, type GraphView } from "./graph-view.ts";

/** Asked pair by pair, so that a node with many edges costs no more than others. */
const among = `SELECT DISTINCT v.seq FROM json_each(?1) n CROSS JOIN graph_versions v
  ON v.doc = ?2 AND v.source = n.value AND v.target IN (SELECT value FROM json_each(?1))
  AND v.visible = 1 AND v.kind = 'edge' AND v.deleted = 0 ORDER BY v.seq DESC LIMIT ?3`;

const atEnd = (column: "source" | "target"): string =>
  `SELECT v.seq FROM json_each(?1) n CROSS JOIN graph_versions v
   ON v.doc = ?2 AND v.${column} = n.value AND v.visible = 1 AND v.kind = 'edge' AND v.deleted = 0`;
const touching = `SELECT seq FROM (${atEnd("source")} UNION ${atEnd("target")}) ORDER BY seq DESC LIMIT ?3`;

/** Live edges of the view at these nodes, newest first. */
export function queryEdges(
  view: GraphView,
  { ids, ends, before = endOfTime, limit }: Omit<EdgeQuery, "branch" | "doc">,
): EdgePage {
  const none = { edges: [], total: 0, hasMore: false };
  if (view.doc === undefined || ids.length === 0 || limit === 0) return none;
  const seqs = view.place.connection
    .sql(ends === "among" ? among : touching)
    .all(JSON.stringify([...new Set(ids)]), view.doc, maxCountedEdges)
    .map((row) => Number(row["seq"]));
  const current = currentAmong(view, seqs).map(({ version }) => version);
  const rest = current.filter(({ last_seq }) => last_seq < before);
  return { edges: rest.slice(0, limit), total: current.length, hasMore: rest.length > limit };
}
