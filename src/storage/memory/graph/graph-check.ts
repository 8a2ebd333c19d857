import type { GraphHealth } from "../../../ports/memory/graph.ts";
import { decodeVersion } from "../../rows/graph-rows.ts";
import type { Row } from "../../rows/row.ts";
import { all, get, type Query } from "../query.ts";
import { loadTally } from "../rows/graph-facts.ts";
import { currentOf, type GraphView, lineageJson, lineageTable } from "./graph-view.ts";

/**
 * How many edges are checked in one stride. Larger graphs are checked in several strides, so that other calls
 * can run in between.
 */
const edgesAtOnce = 1_000;

/** Where a stride ends. Strides follow the index on the sources and targets of edges. */
export type EdgeCursor = { source: string; target: string; seq: number };

const start: EdgeCursor = { source: "", target: "", seq: 0 };

/**
 * Checks the ends of some edges. `after` is where the next stride starts, or `undefined` after the last one.
 */
export function* checkStride(
  view: GraphView,
  maxErrors: number,
  from: EdgeCursor = start,
): Query<{ health: GraphHealth; after: EdgeCursor | undefined }> {
  const { liveNodes, liveEdges } = yield* loadTally(view.lineage, view.doc ?? 0);
  const after = yield* endOfStride(view, from);
  const rows = yield* selectDangling(view, { from, upTo: after, limit: maxErrors });
  const health = {
    nodes: liveNodes,
    edges: liveEdges,
    dangling: rows.map(toDangling),
    danglingTotal: Number(rows[0]?.["total"] ?? 0),
  };
  return { health, after };
}

/** Merges the results of two strides and keeps the newest errors. */
export function mergeHealth(one: GraphHealth, other: GraphHealth, maxErrors: number): GraphHealth {
  return {
    ...other,
    dangling: [...one.dangling, ...other.dangling]
      .sort((a, b) => b.edge.last_seq - a.edge.last_seq)
      .slice(0, maxErrors),
    danglingTotal: one.danglingTotal + other.danglingTotal,
  };
}

const edges = `{graph_versions} v INDEXED BY graph_by_source WHERE v.doc = ? AND v.visible = 1 AND v.kind = 'edge'
  AND (v.source, v.target, v.seq) > (?, ?, ?)`;

function* endOfStride(
  { doc }: GraphView,
  { source, target, seq }: EdgeCursor,
): Query<EdgeCursor | undefined> {
  const row = yield* get(
    `SELECT v.source, v.target, v.seq FROM ${edges} ORDER BY v.source, v.target, v.seq LIMIT 1 OFFSET ?`,
    ...[doc ?? 0, source, target, seq, edgesAtOnce - 1],
  );
  return row && { source: String(row["source"]), target: String(row["target"]), seq: Number(row["seq"]) };
}

const isLost = (end: "source" | "target"): string =>
  `coalesce(${currentOf("deleted", "v", "lineage", `v.${end}`)}, 1) = 1`;

const dangling = (range: string): string =>
  `WITH ${lineageTable("lineage")} SELECT v.*, ${isLost("source")} AS source_lost, ${isLost("target")} AS target_lost,
     count(*) OVER () AS total FROM ${edges} ${range} AND v.deleted = 0
   AND (${isLost("source")} OR ${isLost("target")}) AND v.seq = ${currentOf("seq", "v", "lineage")}
   ORDER BY v.seq DESC LIMIT ?`;

function selectDangling(
  { lineage, doc }: GraphView,
  { from, upTo, limit }: { from: EdgeCursor; upTo: EdgeCursor | undefined; limit: number },
): Query<Row[]> {
  const begin = [lineageJson(lineage), doc ?? 0, from.source, from.target, from.seq];
  if (!upTo) return all(dangling(""), ...begin, limit);
  const range = "AND (v.source, v.target, v.seq) <= (?, ?, ?)";
  return all(dangling(range), ...begin, upTo.source, upTo.target, upTo.seq, limit);
}

const toDangling = (row: Row): GraphHealth["dangling"][number] => ({
  edge: decodeVersion(row).version,
  missing: [
    ...new Set([
      ...(row["source_lost"] === 1 ? [String(row["source"])] : []),
      ...(row["target_lost"] === 1 ? [String(row["target"])] : []),
    ]),
  ],
});
