import type { CardNode } from "../../../../domain/memory/cards/card.ts";
import { currentAmong, type GraphView } from "../graph/graph-view.ts";
import { loadNodes } from "./graph-access.ts";
import { toCard } from "./select-cards.ts";

/** Cards that share a live edge with one of these, newest edge first. */
export function neighboursOf(view: GraphView, ids: readonly string[], limit: number): CardNode[] {
  if (view.doc === undefined || ids.length === 0 || limit === 0) return [];
  const select = (column: "source" | "target") =>
    `SELECT v.seq FROM json_each(?1) n CROSS JOIN graph_versions v
     ON v.doc = ?2 AND v.${column} = n.value AND v.visible = 1 AND v.kind = 'edge' AND v.deleted = 0`;
  const seqs = view.place.connection
    .sql(`SELECT seq FROM (${select("source")} UNION ${select("target")}) ORDER BY seq DESC LIMIT ?3`)
    .all(JSON.stringify(ids), view.doc, limit * 4)
    .map((row) => Number(row["seq"]));
  const others = currentAmong(view, seqs).flatMap(({ version }) =>
    version.kind === "edge" ? [version.from, version.to].filter((id) => !ids.includes(id)) : [],
  );
  return [...loadNodes(view, others).values()].flatMap(toCard).slice(0, limit);
}
