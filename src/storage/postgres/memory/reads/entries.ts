import type { Agent } from "../../../../domain/memory/agents.ts";
import type { Entry } from "../../../../domain/memory/entry.ts";
import { endOfTime, type Lineage } from "../../../../domain/memory/lineage.ts";
import type { BranchRow } from "../../../../domain/memory/steps/rows.ts";
import type {
  Activity,
  DocumentSummary,
  EntryPage,
  Reader,
  Workspace,
} from "../../../../ports/memory/memory-store.ts";
import {
  decodeEntry,
  decodeWorkspace,
  workspaceParameters,
  workspaceQuery,
} from "../../../rows/memory-rows.ts";
import type { Connection } from "../../connection/access.ts";
import { ofTenant } from "../../connection/shared-sql.ts";
import { loadLineage, type Place } from "../places.ts";
import { readLastEvents } from "./task-rows.ts";

export const selectEntry = `SELECT e.*, b.name AS branch_name, d.name AS doc_name, d.wid AS wid FROM {memory_entries} e
  JOIN {memory_branches} b ON b.bid = e.bid JOIN {memory_docs} d ON d.doc = e.doc`;

/** Those that are there; not what a deleted branch hides. */
export async function readEntriesAt({ connection, wid }: Place, seqs: readonly number[]): Promise<Entry[]> {
  const rows = await connection
    .sql(
      `${selectEntry} WHERE e.seq = ANY (?::bigint[]) AND d.wid = ? AND b.deleted_at_ms IS NULL ORDER BY e.seq`,
    )
    .all(seqs, wid);
  return rows.map(decodeEntry);
}

export async function newestSeqBy({ connection, wid }: Place, { name, keys }: Agent): Promise<number> {
  const kept = await connection
    .sql("SELECT max(seq) AS seq FROM {memory_agents} a WHERE wid = ? AND key IN (?, ?)")
    .get(wid, keys[0] ?? "", keys[1] ?? "");
  if (typeof kept?.["seq"] === "number" || name === undefined) return Number(kept?.["seq"] ?? 0);
  const row = await connection
    .sql(`SELECT e.seq FROM {memory_entries} e JOIN {memory_docs} d ON d.doc = e.doc AND d.wid = ?
      WHERE e.agent_id = ? AND e.seq > (SELECT seq - 100000 FROM {tenants} t) ORDER BY e.seq DESC LIMIT 1`)
    .get(wid, name);
  return Number(row?.["seq"] ?? 0);
}

export async function listHeard(
  { connection, wid }: Place,
  keys: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await connection
    .sql("SELECT key, at_ms FROM {memory_agents} a WHERE wid = ? AND key = ANY (?::text[])")
    .all(wid, keys);
  return new Map(rows.map((row) => [String(row["key"]), Number(row["at_ms"])]));
}

/** The newest entries in these segments, oldest first. */
export async function pageEntries(
  { connection }: Place,
  doc: number | undefined,
  segments: Lineage,
  before: number | undefined,
  limit: number,
): Promise<EntryPage> {
  if (doc === undefined) return { entries: [], hasMore: false };
  const rows = await connection
    .sql(`SELECT x.* FROM unnest(?::bigint[], ?::bigint[], ?::bigint[]) s (bid, after, up_to) CROSS JOIN LATERAL (
        ${selectEntry} WHERE e.doc = ? AND e.bid = s.bid AND e.seq > s.after AND e.seq <= s.up_to
        ORDER BY e.seq DESC LIMIT ?) x ORDER BY x.seq DESC LIMIT ?`)
    .all(
      segments.map(({ branch }) => branch),
      segments.map(({ after }) => after),
      segments.map(({ upTo }) => Math.min(upTo, (before ?? endOfTime) - 1)),
      ...[doc, limit + 1, limit + 1],
    );
  return { entries: rows.slice(0, limit).reverse().map(decodeEntry), hasMore: rows.length > limit };
}

/** The documents that a branch shows, by name. */
export async function listDocs(place: Place, branch: BranchRow): Promise<DocumentSummary[]> {
  const lineage = await loadLineage(place, branch.bid);
  const rows = await place.connection
    .sql(`SELECT l.nth, s.form, d.name, x.seq, x.ts_ms
      FROM unnest(?::bigint[], ?::bigint[]) WITH ORDINALITY l (bid, up_to, nth)
      JOIN {memory_streams} s ON s.bid = l.bid AND s.first_seq <= l.up_to JOIN {memory_docs} d ON d.doc = s.doc
      CROSS JOIN LATERAL (
        SELECT seq, ts_ms FROM (
          (SELECT e.seq, e.ts_ms FROM {memory_entries} e WHERE s.form = 'log' AND e.doc = s.doc AND e.bid = s.bid
             AND e.seq <= l.up_to ORDER BY e.seq DESC LIMIT 1)
          UNION ALL (SELECT v.seq, v.ts_ms FROM {graph_versions} v WHERE s.form = 'graph' AND v.doc = s.doc
             AND v.bid = s.bid AND v.visible = 1 AND v.seq <= l.up_to ORDER BY v.seq DESC LIMIT 1)) y) x
      ORDER BY l.nth`)
    .all(
      lineage.map(({ branch: bid }) => bid),
      lineage.map(({ upTo }) => upTo),
    );
  const docs = new Map<string, DocumentSummary>();
  for (const row of rows) {
    const id = `${row["name"]} ${row["form"]}`;
    if (docs.has(id)) continue;
    docs.set(id, {
      doc: String(row["name"]),
      form: row["form"] === "log" ? "log" : "graph",
      last_seq: Number(row["seq"]),
      last_ts_ms: Number(row["ts_ms"]),
    });
  }
  return [...docs.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, summary]) => summary);
}

/** One statement: every call of the memory begins with it. */
export async function readWorkspace(
  { sql }: Connection,
  name: string,
  reader: Reader,
): Promise<Workspace | undefined> {
  const rows = await sql(readPlaces).all(...workspaceParameters(name, reader));
  return decodeWorkspace(name, rows, reader);
}

const readPlaces = ofTenant(workspaceQuery);

/** A bound, so that it costs the same however much was written. */
const newestWrites = 1_000;

export async function listWorkspaces(
  { sql }: Connection,
  limit: number,
  among: readonly string[] | undefined,
): Promise<string[]> {
  const rows = await sql(`WITH written AS (
      SELECT b.wid, e.seq FROM (SELECT seq, bid FROM {memory_entries} e ORDER BY seq DESC LIMIT ${newestWrites}) e
        JOIN {memory_branches} b ON b.bid = e.bid
      UNION ALL SELECT wid, seq FROM (SELECT wid, seq FROM {workspace_changes} c ORDER BY seq DESC LIMIT ${newestWrites}) c)
    SELECT w.name, max(written.seq) AS last FROM {memory_workspaces} w LEFT JOIN written ON written.wid = w.wid
    WHERE ?1::text[] IS NULL OR w.name = ANY (?1::text[])
    GROUP BY w.wid, w.name ORDER BY last DESC NULLS LAST, w.wid DESC LIMIT ?2`).all(among ?? null, limit);
  return rows.map((row) => String(row["name"]));
}

/** The newest entry of the workspace that any branch shows, and the newest event of a task. */
export async function readActivity(place: Place): Promise<Activity> {
  const { connection, wid } = place;
  const [row, [lastTaskEvent]] = await Promise.all([
    connection
      .sql(`${selectEntry} WHERE e.seq = (SELECT max(m.seq) FROM {memory_branches} l
          JOIN {memory_streams} s ON s.bid = l.bid AND s.form = 'log' CROSS JOIN LATERAL (
            SELECT n.seq FROM {memory_entries} n WHERE n.doc = s.doc AND n.bid = s.bid ORDER BY n.seq DESC LIMIT 1) m
          WHERE l.wid = ? AND l.deleted_at_ms IS NULL)`)
      .get(wid),
    readLastEvents(place, undefined, 1),
  ]);
  const last = row && decodeEntry(row);
  return {
    lastTaskEvent,
    lastEntry: last && {
      seq: last.seq,
      ts_ms: last.ts_ms,
      branch: last.branch,
      doc: last.doc,
      kind: last.kind,
    },
  };
}
