import { cutoffs, type Lineage, sees } from "../../../../domain/memory/lineage.ts";
import { decodeVersion, type Stored, versionColumns } from "../../../rows/graph-rows.ts";
import { findDoc, loadLineage, type Place } from "../places.ts";

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

export const lineageOf = ({ lineage }: GraphView): string =>
  JSON.stringify(lineage.map(({ branch, upTo }) => [branch, upTo]));

/** SQL for what merges compare versions by. */
const mark = (row: string): string => `${row}.seq || ' ' || ${row}.fingerprint`;

/** SQL for a column of the version that a key has in the view of `lineage`; `key` is an expression over `row`. */
export const currentOf = (
  column: "seq" | "fingerprint" | "deleted" | "mark",
  row: string,
  lineage: string,
  key = `${row}.key`,
): string =>
  `(SELECT ${column === "mark" ? mark("n") : `n.${column}`} FROM graph_versions n INDEXED BY graph_by_key
    WHERE n.doc = ${row}.doc AND n.key = ${key} AND n.visible = 1
    AND n.seq <= (SELECT up_to FROM ${lineage} WHERE ${lineage}.bid = n.bid) ORDER BY n.seq DESC LIMIT 1)`;

/** SQL: no merge has staged it without publishing it. */
export const isPublished = (row: string): string =>
  `${row}.seq <= (SELECT value FROM counters WHERE name = 'seq')`;

/**
 * SQL: the version is the newest of its key on its own branch. A merge marks what it superseded some time after it was
 * published, so that the mark alone does not tell.
 */
export const isHead = (row: string): string =>
  `(${row}.superseded IS NULL AND ${isPublished(row)} AND NOT EXISTS (
    SELECT 1 FROM graph_versions h INDEXED BY graph_by_key WHERE h.doc = ${row}.doc AND h.key = ${row}.key
    AND h.visible = 1 AND h.seq > ${row}.seq AND h.bid = ${row}.bid AND ${isPublished("h")}))`;

/** Those of the versions that are current in the view, newest first; many at once, because one by one is slow. */
export function currentAmong(view: GraphView, seqs: readonly number[]): Stored[] {
  return view.place.connection
    .sql(
      `WITH ${lineageTable("lineage")} SELECT ${versionColumns} FROM json_each(?) c JOIN graph_versions v ON v.seq = c.value
       WHERE v.visible = 1 AND v.seq = ${currentOf("seq", "v", "lineage")} ORDER BY v.seq DESC`,
    )
    .all(lineageOf(view), JSON.stringify(seqs))
    .map(decodeVersion);
}

/** Keys that a branch itself has written behind `after`, up to and with `upTo`: so many of them, each once. */
export function keysWritten(
  { connection }: Place,
  { doc, bid, after, upTo }: { doc: number; bid: number; after: number; upTo: number },
  limit: number,
): string[] {
  if (after >= upTo) return [];
  return connection
    .sql(
      `SELECT DISTINCT key FROM graph_versions INDEXED BY graph_by_seq WHERE doc = ? AND bid = ? AND visible = 1
       AND seq > ? AND seq <= ? LIMIT ?`,
    )
    .all(doc, bid, after, upTo, limit)
    .map((row) => String(row["key"]));
}

/** A version without its contents. */
export type VersionRow = { key: string; seq: number; bid: number; deleted: boolean; fingerprint: string };

/** The versions of the keys that any branch shows, of each key the newest first. */
function visibleVersions({ place, doc }: GraphView, keys: Iterable<string>): Map<string, VersionRow[]> {
  const rows = place.connection
    .sql(
      `SELECT v.key, v.seq, v.bid, v.deleted, v.fingerprint FROM json_each(?) k
       CROSS JOIN graph_versions v INDEXED BY graph_by_key ON v.doc = ? AND v.key = k.value AND v.visible = 1
       ORDER BY v.seq DESC`,
    )
    .all(JSON.stringify([...new Set(keys)]), doc ?? 0);
  const versions = new Map<string, VersionRow[]>();
  for (const row of rows) {
    const version = {
      key: String(row["key"]),
      seq: Number(row["seq"]),
      bid: Number(row["bid"]),
      deleted: row["deleted"] === 1,
      fingerprint: String(row["fingerprint"]),
    };
    const known = versions.get(version.key);
    if (known) known.push(version);
    else versions.set(version.key, [version]);
  }
  return versions;
}

/** Which of a key's versions, newest first, is the current one in this view. */
function currentIn(view: GraphView, versions: readonly VersionRow[] | undefined): VersionRow | undefined {
  return versions?.find(({ bid, seq }) => sees(view.cutoffs, bid, seq));
}

/** What the view shows of each key, without contents; keys that it does not show are absent. */
export function currentRows(view: GraphView, keys: Iterable<string>): Map<string, VersionRow> {
  const current = new Map<string, VersionRow>();
  for (const [key, versions] of visibleVersions(view, keys)) {
    const row = currentIn(view, versions);
    if (row) current.set(key, row);
  }
  return current;
}

export function currentVersion(view: GraphView, key: string): Stored | undefined {
  const row = currentRows(view, [key]).get(key);
  return row && readVersions(view.place, [row.seq]).get(row.seq);
}

export function readVersions({ connection }: Place, seqs: readonly number[]): Map<number, Stored> {
  const rows = connection
    .sql(`SELECT ${versionColumns} FROM json_each(?) s JOIN graph_versions v ON v.seq = s.value`)
    .all(JSON.stringify(seqs));
  return new Map(rows.map((row) => [Number(row["seq"]), decodeVersion(row)]));
}
