import { cutoffs, type Lineage, sees } from "../../../domain/memory/lineage.ts";
import { decodeVersion, type Stored, versionColumns } from "../../rows/graph-rows.ts";
import { findDoc, loadLineage, type Place } from "../places.ts";
import { all, type Query, together } from "../query.ts";

/** A graph on one branch: the newest version of each key along the branch's lineage. */
export type GraphView = {
  place: Place;
  /** `undefined` if no branch has this document. The view is then empty. */
  doc: number | undefined;
  lineage: Lineage;
  cutoffs: ReadonlyMap<number, number>;
};

export function* openView(place: Place, bid: number, docName: string): Query<GraphView> {
  const [lineage, doc] = yield* together(loadLineage(bid), findDoc(place, docName));
  return viewAlong(place, lineage, doc);
}

export function viewAlong(place: Place, lineage: Lineage, doc: number | undefined): GraphView {
  return { place, doc, lineage, cutoffs: cutoffs(lineage) };
}

/**
 * SQL: a table with the part of each branch that is visible in a view, for `currentOf`. Takes `lineageJson`
 * as its parameter.
 */
export const lineageTable = (name: string, parameter = "?"): string =>
  `${name} (bid, up_to) AS MATERIALIZED (SELECT l.bid, l.up_to FROM LIST(${parameter}, bid number, up_to number) l)`;

export const lineageJson = (lineage: Lineage): string =>
  JSON.stringify(lineage.map(({ branch, upTo }) => [branch, upTo]));

/** SQL: the value by which merges compare versions. */
const mark = (row: string): string => `${row}.seq || ' ' || ${row}.fingerprint`;

/** SQL: a column of a key's current version, as seen from `lineage`. `key` is an expression over `row`. */
export const currentOf = (
  column: "seq" | "fingerprint" | "deleted" | "mark",
  row: string,
  lineage: string,
  key = `${row}.key`,
): string =>
  `(SELECT ${column === "mark" ? mark("n") : `n.${column}`} FROM {graph_versions} n INDEXED BY graph_by_key
    WHERE n.doc = ${row}.doc AND n.key = ${key} AND n.visible = 1
    AND n.seq <= (SELECT up_to FROM ${lineage} WHERE ${lineage}.bid = n.bid) ORDER BY n.seq DESC LIMIT 1)`;

/** SQL: true if the version is not part of a merge that is staged but not published. */
export const isPublished = (row: string): string => `${row}.seq <= @published`;

/**
 * SQL: true if the version is the newest of its key on its own branch. A merge marks the versions it
 * superseded only some time after it was published, so checking the mark is not enough.
 */
export const isHead = (row: string): string =>
  `(${row}.superseded IS NULL AND ${isPublished(row)} AND NOT EXISTS (
    SELECT 1 FROM {graph_versions} h INDEXED BY graph_by_key WHERE h.doc = ${row}.doc AND h.key = ${row}.key
    AND h.visible = 1 AND h.seq > ${row}.seq AND h.bid = ${row}.bid AND ${isPublished("h")}))`;

const currentOnes = `WITH ${lineageTable("lineage")} SELECT ${versionColumns} FROM NUMBERS(?) c
  JOIN {graph_versions} v ON v.seq = c.value
  WHERE v.visible = 1 AND v.seq = ${currentOf("seq", "v", "lineage")} ORDER BY v.seq DESC`;

/** Returns which of the given versions are current in the view, newest first. */
export function* currentAmong({ lineage }: GraphView, seqs: readonly number[]): Query<Stored[]> {
  return (yield* all(currentOnes, lineageJson(lineage), seqs)).map(decodeVersion);
}

/** SQL: the live edges in a document at any of the nodes in a list. */
export const edgesAtNodes = (nodes: string, doc: string, more = ""): string =>
  (["source", "target"] as const)
    .map(
      (end) => `SELECT v.seq FROM TEXTS(${nodes}) n CROSS JOIN {graph_versions} v ON v.doc = ${doc}
        AND v.${end} = n.value AND v.visible = 1 AND v.kind = 'edge' AND v.deleted = 0 ${more}`,
    )
    .join(" UNION ");

const writtenKeys = `SELECT DISTINCT v.key FROM LIST(?, bid number, after number, up_to number) r
  CROSS JOIN {graph_versions} v INDEXED BY graph_by_seq
  ON v.doc = ? AND v.bid = r.bid AND v.visible = 1 AND v.seq > r.after AND v.seq <= r.up_to LIMIT ?`;

/** Returns the keys that the branches themselves wrote in these ranges, each once, up to the limit. */
export function* keysWritten(
  doc: number,
  ranges: readonly { branch: number; after: number; upTo: number }[],
  limit: number,
): Query<string[]> {
  if (ranges.every(({ after, upTo }) => after >= upTo)) return [];
  const list = JSON.stringify(ranges.map(({ branch, after, upTo }) => [branch, after, upTo]));
  return (yield* all(writtenKeys, list, doc, limit)).map((row) => String(row["key"]));
}

/** A version without its contents. */
export type VersionRow = { key: string; seq: number; bid: number; deleted: boolean; fingerprint: string };

const visibleVersions = `SELECT v.key, v.seq, v.bid, v.deleted, v.fingerprint FROM TEXTS(?) k
  CROSS JOIN {graph_versions} v INDEXED BY graph_by_key ON v.doc = ? AND v.key = k.value AND v.visible = 1
  ORDER BY v.seq DESC`;

/**
 * Returns the version of each key that is visible in the view, without contents. Omits keys that are not
 * visible.
 */
export function* currentRows(
  { doc, cutoffs }: GraphView,
  keys: Iterable<string>,
): Query<Map<string, VersionRow>> {
  const rows = yield* all(visibleVersions, [...new Set(keys)], doc ?? 0);
  const current = new Map<string, VersionRow>();
  for (const row of rows) {
    const [key, seq, bid] = [String(row["key"]), Number(row["seq"]), Number(row["bid"])];
    if (current.has(key) || !sees(cutoffs, bid, seq)) continue;
    const [deleted, fingerprint] = [row["deleted"] === 1, String(row["fingerprint"])];
    current.set(key, { key, seq, bid, deleted, fingerprint });
  }
  return current;
}

const versionsBySeq = `SELECT ${versionColumns} FROM NUMBERS(?) s JOIN {graph_versions} v ON v.seq = s.value`;

/** Returns the versions by seq, in the order of `seqs`. */
export function* readVersions(seqs: readonly number[]): Query<Map<number, Stored>> {
  if (seqs.length === 0) return new Map();
  const rows = yield* all(versionsBySeq, seqs);
  const found = new Map(rows.map((row) => [Number(row["seq"]), decodeVersion(row)]));
  return new Map(
    seqs.flatMap((seq) => {
      const stored = found.get(seq);
      return stored ? [[seq, stored] as const] : [];
    }),
  );
}
