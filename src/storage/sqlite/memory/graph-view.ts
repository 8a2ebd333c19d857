import { cutoffs, type Lineage, sees } from "../../../domain/memory/lineage.ts";
import type { Row } from "../driver.ts";
import { decodeVersion, type Stored } from "./graph-rows.ts";
import { findDoc, loadLineage, type Place } from "./places.ts";

/** A graph as one branch sees it: the newest version of each key along its lineage. */
export type GraphView = {
  place: Place;
  /** `undefined` where no branch has such a document: then there is nothing to see. */
  doc: number | undefined;
  lineage: Lineage;
  cutoffs: ReadonlyMap<number, number>;
};

export function openView(place: Place, bid: number, docName: string): GraphView {
  return viewAlong(place, loadLineage(place, bid), findDoc(place, docName));
}

export function viewAlong(place: Place, lineage: Lineage, doc: number | undefined): GraphView {
  return { place, doc, lineage, cutoffs: cutoffs(lineage) };
}

/** A table of what the view sees of each branch, for `currentOf`; takes `lineageOf(view)` as its parameter. */
export const lineageTable = (name: string): string =>
  `${name} (bid, up_to) AS MATERIALIZED (SELECT value ->> 0, value ->> 1 FROM json_each(?))`;

/** The same with both ends of each segment; takes `segmentsOf(lineage)`. */
export const segmentTable = (name: string): string =>
  `${name} (bid, after, up_to) AS MATERIALIZED (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?))`;

export const segmentsOf = (segments: Lineage): string =>
  JSON.stringify(segments.map(({ branch, after, upTo }) => [branch, after, upTo]));

export const lineageOf = ({ lineage }: GraphView): string =>
  JSON.stringify(lineage.map(({ branch, upTo }) => [branch, upTo]));

/** SQL for a column of the version that a key has in the view of `lineage`; `key` is an expression over `row`. */
export const currentOf = (
  column: "seq" | "fingerprint" | "deleted",
  row: string,
  lineage: string,
  key = `${row}.key`,
): string =>
  `(SELECT n.${column} FROM graph_versions n INDEXED BY graph_by_key
    WHERE n.doc = ${row}.doc AND n.key = ${key} AND n.visible = 1
    AND n.seq <= (SELECT up_to FROM ${lineage} WHERE ${lineage}.bid = n.bid) ORDER BY n.seq DESC LIMIT 1)`;

/** Those of the versions that are current in the view, newest first; many at once, because one by one is slow. */
export function currentAmong(view: GraphView, seqs: readonly number[]): Stored[] {
  return view.place.connection
    .sql(
      `WITH ${lineageTable("lineage")} SELECT v.* FROM json_each(?) c JOIN graph_versions v ON v.seq = c.value
       WHERE v.visible = 1 AND v.seq = ${currentOf("seq", "v", "lineage")} ORDER BY v.seq DESC`,
    )
    .all(lineageOf(view), JSON.stringify(seqs))
    .map(decodeVersion);
}

const versionsOfKey =
  "SELECT seq, bid, deleted FROM graph_versions WHERE doc = ? AND key = ? AND visible = 1 ORDER BY seq DESC";

/** The row of the key's current version in this view, without its contents. */
function currentRow({ place, doc, cutoffs: view }: GraphView, key: string): Row | undefined {
  if (doc === undefined) return undefined;
  return place.connection
    .sql(versionsOfKey)
    .all(doc, key)
    .find((row) => sees(view, Number(row["bid"]), Number(row["seq"])));
}

export function isCurrent(view: GraphView, key: string, seq: number): boolean {
  return Number(currentRow(view, key)?.["seq"]) === seq;
}

export function isLive(view: GraphView, key: string): boolean {
  return currentRow(view, key)?.["deleted"] === 0;
}

export function currentVersion(view: GraphView, key: string): Stored | undefined {
  const row = currentRow(view, key);
  return row && readVersion(view.place, Number(row["seq"]));
}

export function readVersion({ connection }: Place, seq: number): Stored | undefined {
  const row = connection.sql("SELECT * FROM graph_versions WHERE seq = ?").get(seq);
  return row && decodeVersion(row);
}
