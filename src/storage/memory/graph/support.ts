import type { Support, SupportedNode } from "../../../ports/memory/graph.ts";
import { parseColumn } from "../../rows/row.ts";
import { all, type Query } from "../query.ts";
import { currentOf, type GraphView, lineageJson, lineageTable } from "./graph-view.ts";

const inView = (row: string): string =>
  `${row}.deleted = 0 AND ${row}.seq = ${currentOf("seq", row, "lineage")}`;
const edgesInto = `WITH ${lineageTable("lineage", "?1")} SELECT v.source, v.target FROM TEXTS(?2) n
  CROSS JOIN {graph_versions} v INDEXED BY graph_by_target ON v.doc = ?3 AND v.target = n.value AND v.visible = 1
  AND v.kind = 'edge' AND v.type = 'supports' WHERE ${inView("v")} ORDER BY v.seq DESC LIMIT ?4`;
const nodesNamed = `WITH ${lineageTable("lineage", "?1")} SELECT v.key, v.type, v.title, v.status, v.meta FROM TEXTS(?2) n
  CROSS JOIN {graph_versions} v INDEXED BY graph_by_key ON v.doc = ?3 AND v.key = n.value AND v.visible = 1
  WHERE v.kind = 'node' AND ${inView("v")}`;

/**
 * Reads edges level by level, and then every node once. Nodes are the most expensive to read, and most of their content
 * is not needed.
 */
export function* readSupport(
  { doc, lineage }: GraphView,
  ids: readonly string[],
  { isKnown, nodes: mostNodes, levels, edges: mostEdges }: Support["limits"],
): Query<Support["found"]> {
  const view = lineageJson(lineage);
  const supporters = new Map<string, string[]>(ids.map((id) => [id, []]));
  let [level, isCut] = [[...supporters.keys()], false];
  for (let n = 0; n < levels && level.length > 0 && supporters.size < mostNodes; n += 1) {
    const rows = yield* all(edgesInto, view, level, doc ?? 0, mostEdges);
    isCut ||= rows.length === mostEdges;
    const next = new Set<string>();
    for (const row of rows) {
      const from = String(row["source"]);
      supporters.get(String(row["target"]))?.push(from);
      if (!supporters.has(from) && !isKnown(from)) next.add(from);
    }
    for (const id of next) supporters.set(id, []);
    level = [...next];
  }
  const rows = yield* all(nodesNamed, view, [...supporters.keys()], doc ?? 0);
  const nodes = rows.map((row): SupportedNode => {
    const id = String(row["key"]);
    return {
      id,
      type: String(row["type"]),
      ...(row["title"] !== null && { title: String(row["title"]) }),
      ...(row["status"] !== null && { status: String(row["status"]) }),
      ...(row["meta"] !== null && { meta: parseColumn<Record<string, unknown>>(row["meta"]) }),
      supporters: supporters.get(id) ?? [],
    };
  });
  const found = new Set(nodes.map(({ id }) => id));
  return {
    nodes,
    absent: [...supporters.keys()].filter((id) => !found.has(id)),
    isCut: isCut || level.length > 0,
  };
}
