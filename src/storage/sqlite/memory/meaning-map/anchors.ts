import type { AnchorFacts } from "../../../../domain/memory/meaning-map/change-anchors.ts";
import { anchorPrefix, type MeaningAnchor } from "../../../../domain/memory/meaning-map/meaning-anchor.ts";
import type { StepInput, StepOutcome } from "../../../../domain/memory/steps/step.ts";
import { parseColumn } from "../../connection/json-column.ts";
import { isPublished } from "../graph/graph-view.ts";
import type { Place } from "../places.ts";

export function listAnchors({ connection, wid }: Place): MeaningAnchor[] {
  return connection
    .sql("SELECT body FROM memory_anchors WHERE wid = ? ORDER BY id")
    .all(wid)
    .map((row) => parseColumn<MeaningAnchor>(row["body"]));
}

/** Call inside a write. */
export function changeAnchors(
  place: Place,
  { names, decide }: StepInput<"change_anchors">,
  at: Date,
): StepOutcome<"change_anchors"> {
  const { connection, wid, workspace } = place;
  const facts: AnchorFacts = {
    workspace,
    now_ms: at.getTime(),
    anchors: new Map(listAnchors(place).map((anchor) => [anchor.id, anchor])),
    carried: new Set(names.filter((name) => isCarried(place, name))),
  };
  const decision = decide(facts);
  for (const id of decision.removed)
    connection.sql("DELETE FROM memory_anchors WHERE wid = ? AND id = ?").run(wid, id);
  for (const anchor of decision.put)
    connection
      .sql(`INSERT INTO memory_anchors (wid, id, body) VALUES (?, ?, ?)
            ON CONFLICT (wid, id) DO UPDATE SET body = excluded.body`)
      .run(wid, anchor.id, JSON.stringify(anchor));
  return decision;
}

/** Graphs of the branches that are there; what nodes are filtered by is looked up in each. */
export const liveGraphs = `memory_branches b CROSS JOIN memory_streams s ON s.bid = b.bid AND s.form = 'graph'
  CROSS JOIN graph_facets f ON f.doc = s.doc AND f.bid = s.bid`;
const isCard = `EXISTS (SELECT 1 FROM graph_facets c
  WHERE c.doc = f.doc AND c.bid = f.bid AND c.facet = 'card' AND c.seq = f.seq)`;

function isCarried({ connection, wid }: Place, tag: string): boolean {
  const row = connection
    .sql(`SELECT 1 FROM ${liveGraphs}
          WHERE b.wid = ? AND b.deleted_at_ms IS NULL AND f.facet = ? AND ${isPublished("f")} AND ${isCard}
          LIMIT 1`)
    .get(wid, `tag:${tag}`);
  return row !== undefined;
}

export function carriedAnchorTags({ connection, wid }: Place): string[] {
  const prefix = `tag:${anchorPrefix}`;
  return connection
    .sql(`SELECT DISTINCT f.facet FROM ${liveGraphs}
          WHERE b.wid = ? AND b.deleted_at_ms IS NULL AND f.facet >= ? AND f.facet < ?
          AND ${isPublished("f")} AND ${isCard}
          ORDER BY f.facet`)
    .all(wid, prefix, after(prefix))
    .map((row) => String(row["facet"]).slice("tag:".length));
}

/** The first text that does not begin with `prefix`. */
const after = (prefix: string): string =>
  `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`;
