import { cutoffs, type Lineage, sees } from "../../../../domain/memory/lineage.ts";
import { findDoc, loadLineage, type Place } from "../places.ts";
import { decodeVersion, type Stored } from "./graph-rows.ts";

/** A graph as one branch sees it: the newest version of each key along its lineage. */
export type GraphView = {
  place: Place;
  /** `undefined` where no branch has such a document: then there is nothing to see. */
  doc: number | undefined;
  lineage: Lineage;
  cutoffs: ReadonlyMap<number, number>;
};

/** A graph as its branch sees it, and where new versions go. */
export type WritableGraph = GraphView & { doc: number; bid: number };

export function openView(place: Place, bid: number, docName: string): GraphView {
  return viewAlong(place, loadLineage(place, bid), findDoc(place, docName));
}

export function viewAlong(place: Place, lineage: Lineage, doc: number | undefined): GraphView {
  return { place, doc, lineage, cutoffs: cutoffs(lineage) };
}

/** A table of what the view sees of each branch, for `currentOf`; takes `lineageOf(view)` as its parameter. */
export const lineageTable = (name: string): string =>
  `${name} (bid, up_to) AS MATERIALIZED (SELECT value ->> 0, value ->> 1 FROM json_each(?))`;

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

/** A version without its contents. */
export type VersionRow = { seq: number; bid: number; deleted: boolean };

/** Those of a key that any branch shows, newest first. */
export function visibleVersions({ place, doc }: GraphView, key: string): VersionRow[] {
  return place.connection
    .sql(
      "SELECT seq, bid, deleted FROM graph_versions WHERE doc = ? AND key = ? AND visible = 1 ORDER BY seq DESC",
    )
    .all(doc ?? 0, key)
    .map((row) => ({ seq: Number(row["seq"]), bid: Number(row["bid"]), deleted: row["deleted"] === 1 }));
}

/** Which of a key's versions, newest first, is the current one in this view. */
export function currentIn(view: GraphView, versions: readonly VersionRow[]): VersionRow | undefined {
  return versions.find(({ bid, seq }) => sees(view.cutoffs, bid, seq));
}

export function currentRow(view: GraphView, key: string): VersionRow | undefined {
  return currentIn(view, visibleVersions(view, key));
}

export function isCurrent(view: GraphView, key: string, seq: number): boolean {
  return currentRow(view, key)?.seq === seq;
}

export function isLive(view: GraphView, key: string): boolean {
  return currentRow(view, key)?.deleted === false;
}

export function currentVersion(view: GraphView, key: string): Stored | undefined {
  const row = currentRow(view, key);
  return row && readVersion(view.place, row.seq);
}

export function readVersion({ connection }: Place, seq: number): Stored | undefined {
  const row = connection.sql("SELECT * FROM graph_versions WHERE seq = ?").get(seq);
  return row && decodeVersion(row);
}
