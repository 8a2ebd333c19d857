import type { EntryKind, Meta } from "../../../../domain/memory/entry.ts";
import { stateOf } from "../../../../domain/memory/graph.ts";
import type { MemoryLine } from "../../../../ports/memory/memory-dump.ts";
import { decodeVersion } from "../../../rows/graph-rows.ts";
import { parseColumn, type Row, type SqlValue } from "../../connection/driver.ts";
import type { Connection } from "../../connection/open-database.ts";
import { findLastEntry } from "../documents/entries.ts";
import { isPublished } from "../graph/graph-view.ts";

/** A line and its place in the order of everything. */
export type Placed = { at: number; line: MemoryLine };

/** Rows of one table fetched at a time; contents may be large. */
const rowsAtOnce = 128;

export const named = "b.uid AS branch_uid, d.name AS doc_name, w.name AS workspace";
/** CROSS keeps the order of the loops: one walk along the table, whatever share of it is wanted. */
export const placeOf = (row: string) => `CROSS JOIN memory_branches b ON b.bid = ${row}.bid
  CROSS JOIN memory_docs d ON d.doc = ${row}.doc CROSS JOIN memory_workspaces w ON w.wid = b.wid`;
export const wanted = "w.wid IN (SELECT value FROM json_each(?))";

/** Walks a query whose last two conditions are `(keys) > cursor` and which workspaces are wanted. */
export function* walk(
  { sql }: Connection,
  query: string,
  wids: readonly number[],
  keys: readonly string[],
): Generator<Row> {
  const chosen = JSON.stringify(wids);
  let cursor: SqlValue[] = keys.map(() => -1);
  for (;;) {
    const rows = sql(`${query} LIMIT ${rowsAtOnce}`).all(...cursor, chosen);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < rowsAtOnce) return;
    cursor = keys.map((key) => last[key] ?? 0);
  }
}

const text = (value: unknown): string | undefined => (value === null ? undefined : String(value));
const number = (value: unknown): number | undefined => (value === null ? undefined : Number(value));

export function written(row: Row) {
  return {
    workspace: String(row["workspace"]),
    branch: String(row["branch_uid"]),
    doc: String(row["doc_name"]),
    seq: Number(row["seq"]),
    ts_ms: Number(row["ts_ms"]),
  };
}

export function* workspaceLines(connection: Connection, wids: readonly number[]): Generator<Placed> {
  const query = `SELECT w.*, b.uid AS checkout_uid FROM memory_workspaces w
    LEFT JOIN memory_branches b ON b.bid = w.checkout WHERE w.wid > ? AND ${wanted} ORDER BY w.wid`;
  for (const row of walk(connection, query, wids, ["wid"]))
    yield {
      at: -1,
      line: {
        workspace: {
          name: String(row["name"]),
          created_at_ms: Number(row["created_at_ms"]),
          project_guard: text(row["project_guard"]),
          checkout: String(row["checkout_uid"]),
          last_entry: findLastEntry({ connection, wid: Number(row["wid"]), workspace: String(row["name"]) }),
        },
      },
    };
}

/** A branch stands after everything that it can have inherited, and before whatever was written later. */
export function* branchLines(connection: Connection, wids: readonly number[]): Generator<Placed> {
  const query = `SELECT b.*, base.uid AS base_uid, w.name AS workspace FROM memory_branches b
    JOIN memory_workspaces w ON w.wid = b.wid LEFT JOIN memory_branches base ON base.bid = b.base
    WHERE (b.base_seq, b.bid) > (?, ?) AND ${wanted} ORDER BY b.base_seq, b.bid`;
  for (const row of walk(connection, query, wids, ["base_seq", "bid"])) {
    const base = text(row["base_uid"]);
    yield {
      at: Number(row["base_seq"]) + 0.5,
      line: {
        branch: {
          workspace: String(row["workspace"]),
          uid: String(row["uid"]),
          name: String(row["name"]),
          base,
          base_seq: base === undefined ? undefined : Number(row["base_seq"]),
          created_at_ms: Number(row["created_at_ms"]),
          deleted_at_ms: number(row["deleted_at_ms"]),
          erased: row["erased"] === 1 ? true : undefined,
        },
      },
    };
  }
}

export function* entryLines(connection: Connection, wids: readonly number[]): Generator<Placed> {
  const query = `SELECT e.*, ${named}, c.seq AS committed, c.parent FROM memory_entries e ${placeOf("e")}
    LEFT JOIN memory_commits c ON c.seq = e.seq WHERE e.seq > ? AND ${wanted} ORDER BY e.seq`;
  for (const row of walk(connection, query, wids, ["seq"])) {
    const { workspace, seq } = written(row);
    const origin = Number(row["origin"]);
    yield {
      at: seq,
      line: {
        entry: {
          ...written(row),
          kind: String(row["kind"]) as EntryKind,
          title: text(row["title"]),
          format: text(row["format"]),
          meta: row["meta"] === null ? undefined : parseColumn<Meta>(row["meta"]),
          content: String(row["content"]),
          agent_id: text(row["agent_id"]),
          origin: origin === seq ? undefined : origin,
          source_event_id: text(row["source_event_id"]),
        },
      },
    };
    if (row["committed"] !== null)
      yield { at: seq, line: { commit: { workspace, seq, parent: number(row["parent"]) } } };
  }
}

export function* versionLines(connection: Connection, wids: readonly number[]): Generator<Placed> {
  const query = `SELECT v.*, ${named}, EXISTS (SELECT 1 FROM graph_versions p INDEXED BY graph_by_key
      WHERE p.doc = v.doc AND p.key = v.key
      AND p.visible = 1 AND p.bid = v.bid AND p.superseded = v.seq) AS keeps
    FROM graph_versions v ${placeOf("v")} WHERE v.seq > ? AND ${wanted} AND ${isPublished("v")}
    ORDER BY v.seq`;
  for (const row of walk(connection, query, wids, ["seq"])) {
    const { version } = decodeVersion(row);
    const line = { ...written(row), state: stateOf(version), keeps: row["keeps"] === 1 || undefined };
    yield { at: line.seq, line: { version: line as typeof line & { keeps: true | undefined } } };
  }
}
