import type { GraphHealth } from "../../../ports/memory/graph.ts";
import { decodeVersion } from "./graph-rows.ts";
import { type GraphView, isCurrent, isLive } from "./graph-view.ts";

/** Counts a whole view and looks at the ends of every edge. Costs what the view holds, not its history. */
export function checkView(view: GraphView, maxErrors: number): GraphHealth {
  const health: GraphHealth = { nodes: 0, edges: 0, dangling: [], danglingTotal: 0 };
  const { place, doc } = view;
  if (doc === undefined) return health;
  for (const { branch, after, upTo } of view.lineage) {
    const rows = place.connection
      .sql(
        `SELECT seq, key, kind, source, target FROM graph_versions
         WHERE doc = ? AND bid = ? AND visible = 1 AND deleted = 0 AND seq > ? AND seq <= ? ORDER BY seq DESC`,
      )
      .all(doc, branch, after, upTo);
    for (const { seq, key, kind, source, target } of rows) {
      if (!isCurrent(view, String(key), Number(seq))) continue;
      if (kind === "node") health.nodes += 1;
      else {
        health.edges += 1;
        note(view, health, Number(seq), [String(source), String(target)], maxErrors);
      }
    }
  }
  return health;
}

function note(view: GraphView, health: GraphHealth, seq: number, ends: string[], maxErrors: number): void {
  const missing = [...new Set(ends)].filter((end) => !isLive(view, end));
  if (missing.length === 0) return;
  health.danglingTotal += 1;
  if (health.dangling.length >= maxErrors) return;
  const row = view.place.connection.sql("SELECT * FROM graph_versions WHERE seq = ?").get(seq);
  if (row) health.dangling.push({ edge: decodeVersion(row).version, missing });
}
