import type { Agent } from "../../../../domain/memory/agents.ts";
import type { Entry } from "../../../../domain/memory/entry.ts";
import { endOfTime, type Lineage } from "../../../../domain/memory/lineage.ts";
import type { BranchRow } from "../../../../domain/memory/steps/rows.ts";
import type { DocumentSummary, EntryPage } from "../../../../ports/memory/memory-store.ts";
import { decodeEntry } from "../../../rows/memory-rows.ts";
import type { Row } from "../../connection/driver.ts";
import { loadLineage, type Place } from "../places.ts";

export const selectEntry = `SELECT e.*, b.name AS branch_name, d.name AS doc_name, d.wid AS wid FROM memory_entries e
  JOIN memory_branches b ON b.bid = e.bid JOIN memory_docs d ON d.doc = e.doc`;

/** Not what a deleted branch hides. */
export function readEntry({ connection, wid }: Place, seq: number): Entry | undefined {
  const row = connection.sql(`${selectEntry} WHERE e.seq = ? AND b.deleted_at_ms IS NULL`).get(seq);
  return row && row["wid"] === wid ? decodeEntry(row) : undefined;
}

export function readEntriesAt({ connection, wid }: Place, seqs: readonly number[]): Entry[] {
  return connection
    .sql(
      `${selectEntry} WHERE e.seq IN (SELECT value FROM json_each(?)) AND d.wid = ? AND b.deleted_at_ms IS NULL`,
    )
    .all(JSON.stringify(seqs), wid)
    .map(decodeEntry);
}

export function newestSeqBy({ connection, wid }: Place, { name, keys }: Agent): number {
  const kept = connection
    .sql("SELECT max(seq) AS seq FROM memory_agents WHERE wid = ? AND key IN (?, ?)")
    .get(wid, keys[0] ?? "", keys[1] ?? "");
  if (typeof kept?.["seq"] === "number" || name === undefined) return Number(kept?.["seq"] ?? 0);
  const row = connection
    .sql(`SELECT e.seq FROM memory_entries e JOIN memory_docs d ON d.doc = e.doc AND d.wid = ?
          WHERE e.agent_id = ? AND e.seq > (SELECT value - 100000 FROM counters WHERE name = 'seq')
          ORDER BY e.seq DESC LIMIT 1`)
    .get(wid, name);
  return Number(row?.["seq"] ?? 0);
}

export function listHeard({ connection, wid }: Place, keys: readonly string[]): ReadonlyMap<string, number> {
  const rows = connection
    .sql("SELECT key, at_ms FROM memory_agents WHERE wid = ? AND key IN (SELECT value FROM json_each(?))")
    .all(wid, JSON.stringify(keys));
  return new Map(rows.map((row) => [String(row["key"]), Number(row["at_ms"])]));
}

/** The newest entries in these segments, oldest first; segments are walked from new to old until the page is full. */
export function pageEntries(
  { connection }: Place,
  doc: number | undefined,
  segments: Lineage,
  before: number | undefined,
  limit: number,
): EntryPage {
  if (doc === undefined) return { entries: [], hasMore: false };
  const found: Row[] = [];
  for (const { branch, after, upTo } of segments) {
    if (found.length > limit) break;
    const end = Math.min(upTo, (before ?? endOfTime) - 1);
    const page = connection
      .sql(
        `${selectEntry} WHERE e.doc = ? AND e.bid = ? AND e.seq > ? AND e.seq <= ? ORDER BY e.seq DESC LIMIT ?`,
      )
      .all(doc, branch, after, end, limit + 1 - found.length);
    for (const row of page) found.push(row);
  }
  const hasMore = found.length > limit;
  return { entries: found.slice(0, limit).reverse().map(decodeEntry), hasMore };
}

/** So many of the newest entries of all workspaces are looked through before each document is asked for its own. */
const newestOfAll = 500;

/** The newest entry of the workspace that any branch shows. */
export function findLastEntry({ connection: { sql }, wid }: Place): number | undefined {
  const row =
    sql(`SELECT e.seq FROM (SELECT seq, bid FROM memory_entries ORDER BY seq DESC LIMIT ${newestOfAll}) e
      JOIN memory_branches b ON b.bid = e.bid WHERE b.wid = ? AND b.deleted_at_ms IS NULL
      ORDER BY e.seq DESC LIMIT 1`).get(wid) ??
    sql(`SELECT max((SELECT max(e.seq) FROM memory_entries e WHERE e.doc = s.doc AND e.bid = s.bid)) AS seq
      FROM memory_branches b JOIN memory_streams s ON s.bid = b.bid AND s.form = 'log'
      WHERE b.wid = ? AND b.deleted_at_ms IS NULL`).get(wid);
  return typeof row?.["seq"] === "number" ? row["seq"] : undefined;
}

/** The documents that a branch shows, by name. */
export function listDocs(place: Place, branch: BranchRow): DocumentSummary[] {
  const { sql } = place.connection;
  const docs = new Map<string, DocumentSummary>();
  for (const segment of loadLineage(place, branch.bid)) {
    const streams = sql(
      `SELECT s.doc, s.form, d.name FROM memory_streams s JOIN memory_docs d ON d.doc = s.doc
       WHERE s.bid = ? AND s.first_seq <= ?`,
    ).all(segment.branch, segment.upTo);
    for (const { doc, form, name } of streams) {
      const id = `${name} ${form}`;
      if (docs.has(id)) continue;
      const source = form === "log" ? "memory_entries WHERE" : "graph_versions WHERE visible = 1 AND";
      const last = sql(
        `SELECT seq, ts_ms FROM ${source} doc = ? AND bid = ? AND seq <= ? ORDER BY seq DESC LIMIT 1`,
      ).get(doc ?? 0, segment.branch, segment.upTo);
      if (!last) continue;
      docs.set(id, {
        doc: String(name),
        form: form === "log" ? "log" : "graph",
        last_seq: Number(last["seq"]),
        last_ts_ms: Number(last["ts_ms"]),
      });
    }
  }
  return [...docs.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, summary]) => summary);
}
