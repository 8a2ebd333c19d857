import type { ActionPage, Actions, ChangeQuery, KeptAction, StoredAction } from "../../../ports/actions.ts";
import {
  actionColumnNames,
  actionColumns,
  createKnownActions,
  decodeAction,
  decodeEditPlace,
  placeColumns,
} from "../../rows/action-rows.ts";
import { toColumn } from "../../rows/ledger-rows.ts";
import type { WithConnection } from "../connection/access.ts";
import type { SqlValue } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";

export function createActions(read: WithConnection, write: WithConnection): Actions {
  const known = createKnownActions();
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
    findChanges: (project, query) => read((connection) => selectChanges(connection, known, project, query)),
    findCalls: (sessionId, calls) =>
      read(({ sql }) =>
        sql(`${storedAction} WHERE s.id = ? AND a.call_id IN (SELECT value FROM json_each(?)) ORDER BY l.lid`)
          .all(sessionId, JSON.stringify(calls))
          .map(decodeAction),
      ),
    findEditPlaces: (sessionId, { branchId, from, to }) =>
      read(({ sql }) =>
        sql(`SELECT a.call_id, a.part, l.after_number FROM sessions s CROSS JOIN session_actions l ON l.sid = s.sid
          CROSS JOIN actions a ON a.aid = l.aid WHERE s.id = ? AND l.after_number BETWEEN ? AND ?
          AND l.after_branch = ? AND a.type = 'edit' ORDER BY l.lid`)
          .all(sessionId, from, to, toColumn(branchId))
          .map(decodeEditPlace),
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
  const insert = sql(`INSERT INTO actions (${actionColumnNames})
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING aid`);
  const link = sql(`INSERT INTO session_actions (sid, aid, branch_id, after_branch, after_number)
    VALUES (?, ?, ?, ?, ?) ON CONFLICT (sid, aid) DO NOTHING`);
  let added = 0;
  for (const action of actions) {
    const columns = actionColumns(action);
    const aid = find.get(columns[0])?.["aid"] ?? insert.get(...columns)?.["aid"] ?? 0;
    added += Number(link.run(sid, aid, ...placeColumns(action)).changes);
  }
  return added;
}

/** SQL: the file name in `path`. Migrations use it in indexes, so it must not change. */
export const fileNameOfAction = "replace(path, rtrim(path, replace(path, '/', '')), '')";

/**
 * Selects changes. CROSS fixes the join order. If the order were not fixed, SQLite would start with all
 * sessions in the project, which is a hundred times slower.
 */
function selectChanges(
  { sql }: Connection,
  known: ReturnType<typeof createKnownActions>,
  project: string | undefined,
  { limit, ...query }: ChangeQuery,
): StoredAction[] {
  const [condition, values] =
    "files" in query
      ? [
          `a.path IS NOT NULL AND ${fileNameOfAction} IN (SELECT value FROM json_each(?))`,
          [JSON.stringify(query.files)],
        ]
      : "refusedSince" in query
        ? ["a.type = 'refusal' AND a.at >= ?", [query.refusedSince]]
        : ["a.path IS NOT NULL AND a.at BETWEEN ? AND ?", [query.from, query.to]];
  const rows = sql(`SELECT l.lid, l.branch_id, l.after_branch, l.after_number, s.id, a.aid, a.key, a.at
    FROM actions a CROSS JOIN session_actions l ON l.aid = a.aid CROSS JOIN sessions s ON s.sid = l.sid
    WHERE ${condition} AND s.deleted_at IS NULL${project === undefined ? "" : " AND s.project = ?"}
    ORDER BY a.at DESC, l.lid DESC LIMIT ?`).all(
    ...values,
    ...(project === undefined ? [] : [project]),
    limit,
  );
  const missing = known.missing(rows);
  const read =
    missing.length === 0
      ? []
      : sql("SELECT * FROM actions WHERE aid IN (SELECT value FROM json_each(?))").all(
          JSON.stringify(missing),
        );
  return known.decode(rows, read);
}

const storedAction = `SELECT l.lid, l.branch_id, l.after_branch, l.after_number, s.id, a.* FROM session_actions l
  JOIN sessions s ON s.sid = l.sid JOIN actions a ON a.aid = l.aid`;

function select(
  { sql }: Connection,
  condition: string,
  values: readonly SqlValue[],
  { after, limit, type }: ActionPage,
): StoredAction[] {
  const rows = sql(
    `${storedAction} WHERE ${condition} AND l.lid > ?${type === undefined ? "" : " AND a.type = ?"} ORDER BY l.lid LIMIT ?`,
  ).all(...values, after, ...(type === undefined ? [] : [type]), limit);
  return rows.map(decodeAction);
}

/** Deletes actions that only this session has. Call inside a write, before the session's row is deleted. */
export function eraseActions({ sql }: Connection, sid: number): void {
  const own = sql("SELECT aid FROM session_actions WHERE sid = ?").all(sid);
  sql("DELETE FROM session_actions WHERE sid = ?").run(sid);
  const erase = sql(
    "DELETE FROM actions WHERE aid = ? AND NOT EXISTS (SELECT 1 FROM session_actions l WHERE l.aid = actions.aid)",
  );
  for (const { aid = 0 } of own) erase.run(aid);
}
