import type { GraphHealth } from "../../../ports/memory/graph.ts";
import { decodeVersion } from "./graph-rows.ts";
import {
  currentOf,
  type GraphView,
  lineageOf,
  lineageTable,
  segmentsOf,
  segmentTable,
} from "./graph-view.ts";

/** Counts a whole view and looks at the ends of every edge. Costs what the view holds, not its history. */
export function checkView(view: GraphView, maxErrors: number): GraphHealth {
  const dangling = selectDangling(view, maxErrors);
  return {
    nodes: countLive(view, "node"),
    edges: countLive(view, "edge"),
    dangling,
    danglingTotal: dangling.length < maxErrors ? dangling.length : countDangling(view),
  };
}

/** Everything of one kind that the view shows. */
const liveRows = `segments s CROSS JOIN graph_versions v ON v.doc = ? AND v.bid = s.bid AND v.visible = 1
  AND v.deleted = 0 AND v.kind = ? AND v.seq > s.after AND v.seq <= s.up_to
  WHERE v.seq = ${currentOf("seq", "v", "lineage")}`;

const isLost = (end: "source" | "target"): string =>
  `coalesce(${currentOf("deleted", "v", "lineage", `v.${end}`)}, 1) = 1`;

const select = (columns: string, more = ""): string =>
  `WITH ${lineageTable("lineage")}, ${segmentTable("segments")} SELECT ${columns} FROM ${liveRows} ${more}`;

const isDangling = `AND (${isLost("source")} OR ${isLost("target")})`;

function parameters(view: GraphView, kind: "node" | "edge") {
  return [lineageOf(view), segmentsOf(view.lineage), view.doc ?? 0, kind] as const;
}

function countLive(view: GraphView, kind: "node" | "edge"): number {
  const row = view.place.connection.sql(select("count(*) AS live")).get(...parameters(view, kind));
  return Number(row?.["live"] ?? 0);
}

function countDangling(view: GraphView): number {
  const row = view.place.connection
    .sql(select("count(*) AS lost", isDangling))
    .get(...parameters(view, "edge"));
  return Number(row?.["lost"] ?? 0);
}

function selectDangling(view: GraphView, limit: number): GraphHealth["dangling"] {
  const columns = `v.*, ${isLost("source")} AS source_lost, ${isLost("target")} AS target_lost`;
  return view.place.connection
    .sql(select(columns, `${isDangling} ORDER BY v.seq DESC LIMIT ?`))
    .all(...parameters(view, "edge"), limit)
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
