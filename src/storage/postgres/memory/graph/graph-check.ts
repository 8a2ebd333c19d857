import type { GraphHealth } from "../../../../ports/memory/graph.ts";
import { decodeVersion } from "../../../rows/graph-rows.ts";
import { loadTally } from "../rows/graph-facts.ts";
import { currentOf, type GraphView, lineageOf, lineageTable } from "./graph-view.ts";

const isLost = (end: "source" | "target"): string =>
  `coalesce(${currentOf("deleted", "v", "lineage", `v.${end}`)}, 1) = 1`;

/** Looks at the ends of every live edge; the server does that while others go on. */
export async function checkGraph(view: GraphView, maxErrors: number): Promise<GraphHealth> {
  const { connection } = view.place;
  const { liveNodes, liveEdges } = await loadTally(connection, view.lineage, view.doc ?? 0);
  const rows = await connection
    .sql(`WITH ${lineageTable("lineage")}, e AS MATERIALIZED (
        SELECT v.*, ${isLost("source")} AS source_lost, ${isLost("target")} AS target_lost FROM {graph_versions} v
        WHERE v.doc = ? AND v.visible = 1 AND v.kind = 'edge' AND v.deleted = 0
        AND v.seq = ${currentOf("seq", "v", "lineage")})
      SELECT e.*, count(*) OVER () AS total FROM e WHERE source_lost OR target_lost ORDER BY e.seq DESC LIMIT ?`)
    .all(lineageOf(view), view.doc ?? 0, maxErrors);
  return {
    nodes: liveNodes,
    edges: liveEdges,
    dangling: rows.map((row) => ({
      edge: decodeVersion(row).version,
      missing: [
        ...new Set([
          ...(row["source_lost"] === 1 ? [String(row["source"])] : []),
          ...(row["target_lost"] === 1 ? [String(row["target"])] : []),
        ]),
      ],
    })),
    danglingTotal: Number(rows[0]?.["total"] ?? 0),
  };
}
