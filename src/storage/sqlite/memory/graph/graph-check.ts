import type { GraphHealth } from "../../../../ports/memory/graph.ts";
import { decodeVersion } from "./graph-rows.ts";
import { tallyOf } from "./graph-tally.ts";
import { currentOf, type GraphView, lineageOf, lineageTable } from "./graph-view.ts";

/** Looks at the ends of every edge: costs what the graph has of them, whatever else it holds. */
export function checkView(view: GraphView, maxErrors: number): GraphHealth {
  const { liveNodes, liveEdges } = tallyOf(view);
  const dangling = selectDangling(view, maxErrors);
  return {
    nodes: liveNodes,
    edges: liveEdges,
    dangling,
    danglingTotal: dangling.length < maxErrors ? dangling.length : countDangling(view),
  };
}

const isLost = (end: "source" | "target"): string =>
  `coalesce(${currentOf("deleted", "v", "lineage", `v.${end}`)}, 1) = 1`;

const select = (columns: string, more = ""): string =>
  `WITH ${lineageTable("lineage")} SELECT ${columns} FROM graph_versions v INDEXED BY graph_by_source
   WHERE v.doc = ? AND v.visible = 1 AND v.kind = 'edge' AND v.deleted = 0
   AND (${isLost("source")} OR ${isLost("target")}) AND v.seq = ${currentOf("seq", "v", "lineage")} ${more}`;

function countDangling(view: GraphView): number {
  const row = view.place.connection.sql(select("count(*) AS lost")).get(lineageOf(view), view.doc ?? 0);
  return Number(row?.["lost"] ?? 0);
}

function selectDangling(view: GraphView, limit: number): GraphHealth["dangling"] {
  const columns = `v.*, ${isLost("source")} AS source_lost, ${isLost("target")} AS target_lost`;
  return view.place.connection
    .sql(select(columns, "ORDER BY v.seq DESC LIMIT ?"))
    .all(lineageOf(view), view.doc ?? 0, limit)
    .map((row) => ({
      edge: decodeVersion(row).version,
      missing: [
        ...new Set([
          ...(row["source_lost"] === 1 ? [String(row["source"])] : []),
          ...(row["target_lost"] === 1 ? [String(row["target"])] : []),
        ]),
      ],
    }));
}
