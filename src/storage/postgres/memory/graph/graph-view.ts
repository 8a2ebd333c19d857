import { cutoffs, type Lineage, sees } from "../../../../domain/memory/lineage.ts";
import { decodeVersion, type Stored, versionColumns } from "../../../rows/graph-rows.ts";
import type { Connection } from "../../connection/access.ts";
import { findDoc, loadLineage, type Place } from "../places.ts";

/** A graph as one branch sees it: the newest version of each key along its lineage. */
export type GraphView = {
  place: Place;
  /** `undefined` where no branch has such a document: then there is nothing to see. */
  doc: number | undefined;
  lineage: Lineage;
  cutoffs: ReadonlyMap<number, number>;
};

export async function openView(place: Place, bid: number, docName: string): Promise<GraphView> {
  const [lineage, doc] = await Promise.all([loadLineage(place, bid), findDoc(place, docName)]);
  return viewAlong(place, lineage, doc);
}

export function viewAlong(place: Place, lineage: Lineage, doc: number | undefined): GraphView {
  return { place, doc, lineage, cutoffs: cutoffs(lineage) };
}

/** A table of what a view sees of each branch, for `currentOf`; takes `lineageJson` as its parameter. */
export const lineageTable = (name: string, parameter = "?"): string =>
  `${name} (bid, up_to) AS MATERIALIZED (SELECT (value ->> 0)::bigint, (value ->> 1)::bigint
    FROM jsonb_array_elements(${parameter}::jsonb))`;

export const lineageJson = (lineage: Lineage): string =>
  JSON.stringify(lineage.map(({ branch, upTo }) => [branch, upTo]));

export const lineageOf = ({ lineage }: GraphView): string => lineageJson(lineage);

/** SQL for what merges compare versions by. */
const mark = (row: string): string => `${row}.seq || ' ' || ${row}.fingerprint`;

/** SQL for a column of the version that a key has in the view of `lineage`; `key` is an expression over `row`. */
export const currentOf = (
  column: "seq" | "fingerprint" | "deleted" | "mark",
  row: string,
  lineage: string,
  key = `${row}.key`,
): string =>
  `(SELECT ${column === "mark" ? mark("n") : `n.${column}`} FROM {graph_versions} n
    WHERE n.doc = ${row}.doc AND n.key = ${key} AND n.visible = 1
    AND n.seq <= (SELECT up_to FROM ${lineage} WHERE ${lineage}.bid = n.bid) ORDER BY n.seq DESC LIMIT 1)`;

/** SQL: no merge has staged it without publishing it. */
export const isPublished = (row: string): string => `${row}.seq <= (SELECT seq FROM {tenants} t)`;

/**
 * SQL: the version is the newest of its key on its own branch. A merge marks what it superseded some time after it was
 * published, so that the mark alone does not tell.
 */
export const isHead = (row: string): string =>
  `(${row}.superseded IS NULL AND ${isPublished(row)} AND NOT EXISTS (
    SELECT 1 FROM {graph_versions} h WHERE h.doc = ${row}.doc AND h.key = ${row}.key
    AND h.visible = 1 AND h.seq > ${row}.seq AND h.bid = ${row}.bid AND ${isPublished("h")}))`;

/** Those of the versions that are current in the view, newest first; many at once, because one by one is slow. */
export async function currentAmong(view: GraphView, seqs: readonly number[]): Promise<Stored[]> {
  const rows = await view.place.connection
    .sql(`WITH ${lineageTable("lineage")} SELECT ${versionColumns} FROM {graph_versions} v
      WHERE v.seq = ANY (?::bigint[]) AND v.visible = 1 AND v.seq = ${currentOf("seq", "v", "lineage")}
      ORDER BY v.seq DESC`)
    .all(lineageOf(view), seqs);
  return rows.map(decodeVersion);
}

/** Keys that a branch itself has written behind `after`, up to and with `upTo`: so many of them, each once. */
export async function keysWritten(
  { sql }: Connection,
  doc: number,
  ranges: readonly { branch: number; after: number; upTo: number }[],
  limit: number,
): Promise<string[]> {
  const rows =
    await sql(`SELECT DISTINCT v.key FROM unnest(?::bigint[], ?::bigint[], ?::bigint[]) r (bid, after, up_to)
    JOIN {graph_versions} v ON v.doc = ? AND v.bid = r.bid AND v.visible = 1 AND v.seq > r.after AND v.seq <= r.up_to
    LIMIT ?`).all(
      ranges.map(({ branch }) => branch),
      ranges.map(({ after }) => after),
      ranges.map(({ upTo }) => upTo),
      doc,
      limit,
    );
  return rows.map((row) => String(row["key"]));
}

/** A version without its contents. */
export type VersionRow = { key: string; seq: number; bid: number; deleted: boolean; fingerprint: string };

/** What the view shows of each key, without contents; keys that it does not show are absent. */
export async function currentRows(view: GraphView, keys: Iterable<string>): Promise<Map<string, VersionRow>> {
  const rows = await view.place.connection
    .sql(`SELECT v.key, v.seq, v.bid, v.deleted, v.fingerprint FROM {graph_versions} v
      WHERE v.doc = ? AND v.key = ANY (?::text[]) AND v.visible = 1 ORDER BY v.seq DESC`)
    .all(view.doc ?? 0, [...new Set(keys)]);
  const current = new Map<string, VersionRow>();
  for (const row of rows) {
    const [key, seq, bid] = [String(row["key"]), Number(row["seq"]), Number(row["bid"])];
    if (current.has(key) || !sees(view.cutoffs, bid, seq)) continue;
    current.set(key, {
      key,
      seq,
      bid,
      deleted: row["deleted"] === 1,
      fingerprint: String(row["fingerprint"]),
    });
  }
  return current;
}

export async function readVersions(
  { connection }: Place,
  seqs: readonly number[],
): Promise<Map<number, Stored>> {
  if (seqs.length === 0) return new Map();
  const rows = await connection
    .sql(`SELECT ${versionColumns} FROM {graph_versions} v WHERE v.seq = ANY (?::bigint[])`)
    .all(seqs);
  const found = new Map(rows.map((row) => [Number(row["seq"]), decodeVersion(row)]));
  // In the order asked.
  return new Map(seqs.flatMap((seq) => (found.has(seq) ? [[seq, found.get(seq) as Stored] as const] : [])));
}
