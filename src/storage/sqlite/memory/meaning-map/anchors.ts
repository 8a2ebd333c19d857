import { anchorPrefix, type MeaningAnchor } from "../../../../domain/memory/meaning-map/meaning-anchor.ts";
import { parseColumn } from "../../connection/driver.ts";
import { isPublished } from "../graph/graph-view.ts";
import type { Place } from "../places.ts";

type Tables = Pick<Place, "connection" | "wid">;

export function listAnchors({ connection, wid }: Tables): MeaningAnchor[] {
  return connection
    .sql("SELECT body FROM memory_anchors WHERE wid = ? ORDER BY id")
    .all(wid)
    .map((row) => parseColumn<MeaningAnchor>(row["body"]));
}

/** Graphs of the branches that are there; what nodes are filtered by is looked up in each. */
export const liveGraphs = `memory_branches b CROSS JOIN memory_streams s ON s.bid = b.bid AND s.form = 'graph'
  CROSS JOIN graph_facets f ON f.doc = s.doc AND f.bid = s.bid`;
const isCard = `EXISTS (SELECT 1 FROM graph_facets c
  WHERE c.doc = f.doc AND c.bid = f.bid AND c.facet = 'card' AND c.seq = f.seq)`;

export function isCarried({ connection, wid }: Tables, tag: string): boolean {
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
