import {
  type ActionRecord,
  actionKey,
  fromRecord,
  type KeptAction,
  toRecord,
} from "../../../domain/actions/kept-action.ts";
import type { ActionPage, Actions, StoredAction } from "../../../ports/actions.ts";
import type { WithConnection } from "../connection/access.ts";
import { parseColumn, type Row, type SqlValue } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";
import { decodeAddress, toColumn } from "./rows.ts";

export function createActions(read: WithConnection, write: WithConnection): Actions {
  return {
    async record(sessionId, actions) {
      if (actions.length === 0) return 0;
      return write((connection) => insertActions(connection, sessionId, actions));
    },
    readOfSession: (sessionId, page) =>
      read((connection) => select(connection, "s.id = ?", [sessionId], page)),
    readOfProject: (project, page) =>
      read((connection) =>
        project === undefined
          ? select(connection, "s.deleted_at IS NULL", [], page)
          : select(connection, "s.deleted_at IS NULL AND s.project = ?", [project], page),
      ),
    findRelated: (sessionId, limit) =>
      read(({ sql }) =>
        sql(`SELECT DISTINCT o.id FROM sessions s JOIN session_actions mine ON mine.sid = s.sid
          JOIN session_actions other ON other.aid = mine.aid AND other.sid <> mine.sid
          JOIN sessions o ON o.sid = other.sid AND o.deleted_at IS NULL WHERE s.id = ? ORDER BY o.sid LIMIT ?`)
          .all(sessionId, limit)
          .map(({ id }) => String(id)),
      ),
  };
}

function insertActions({ sql }: Connection, sessionId: string, actions: readonly KeptAction[]): number {
  const sid = sql("SELECT sid FROM sessions WHERE id = ?").get(sessionId)?.["sid"];
  if (sid == null) return 0;
  const find = sql("SELECT aid FROM actions WHERE key = ?");
  const insert =
    sql(`INSERT INTO actions (key, type, call_id, part, tool, at, path, moved_from, change, lines, removed, body)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING aid`);
  const link =
    sql(`INSERT INTO session_actions (sid, aid, branch_id, after_branch, after_number) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (sid, aid) DO NOTHING`);
  let added = 0;
  for (const action of actions) {
    const record = toRecord(action);
    const key = actionKey(record);
    const aid = find.get(key)?.["aid"] ?? insert.get(key, ...columnsOf(record))?.["aid"] ?? 0;
    const { branchId, after } = action;
    const place = after ? [toColumn(after.branchId), after.thoughtNumber] : [null, null];
    added += Number(link.run(sid, aid, toColumn(branchId), ...place).changes);
  }
  return added;
}

function columnsOf(record: ActionRecord): SqlValue[] {
  const {
    type,
    call,
    part,
    tool,
    at,
    path,
    from,
    change,
    lines,
    removed,
    branchId: _,
    after: __,
    ...body
  } = record;
  const optional = [path, from, change, lines, removed].map((value) => value ?? null);
  return [type, call, part, tool, at, ...optional, JSON.stringify(body)];
}

function select(
  { sql }: Connection,
  condition: string,
  values: readonly SqlValue[],
  { after, limit, type }: ActionPage,
): StoredAction[] {
  const rows =
    sql(`SELECT l.lid, l.branch_id, l.after_branch, l.after_number, s.id, a.* FROM session_actions l
    JOIN sessions s ON s.sid = l.sid JOIN actions a ON a.aid = l.aid
    WHERE ${condition} AND l.lid > ?${type === undefined ? "" : " AND a.type = ?"} ORDER BY l.lid LIMIT ?`).all(
      ...values,
      after,
      ...(type === undefined ? [] : [type]),
      limit,
    );
  return rows.map(decode);
}

function decode(row: Row): StoredAction {
  const after = decodeAddress(row["after_branch"], row["after_number"]);
  const text = (name: string, column: string) => (row[column] == null ? {} : { [name]: String(row[column]) });
  const record = {
    ...parseColumn<Partial<ActionRecord>>(row["body"]),
    type: String(row["type"]),
    call: String(row["call_id"]),
    part: Number(row["part"]),
    tool: String(row["tool"]),
    at: String(row["at"]),
    ...(row["branch_id"] !== "" && { branchId: String(row["branch_id"]) }),
    ...(after && { after }),
    ...text("path", "path"),
    ...text("from", "moved_from"),
    ...text("change", "change"),
    ...text("lines", "lines"),
    ...text("removed", "removed"),
  } as ActionRecord;
  return {
    order: Number(row["lid"]),
    sessionId: String(row["id"]),
    key: String(row["key"]),
    action: fromRecord(record),
  };
}

/** Call inside a write, before the session's row goes. Actions that no other session has go with it. */
export function eraseActions({ sql }: Connection, sid: number): void {
  const own = sql("SELECT aid FROM session_actions WHERE sid = ?").all(sid);
  sql("DELETE FROM session_actions WHERE sid = ?").run(sid);
  const erase = sql(
    "DELETE FROM actions WHERE aid = ? AND NOT EXISTS (SELECT 1 FROM session_actions l WHERE l.aid = actions.aid)",
  );
  for (const { aid = 0 } of own) erase.run(aid);
}
