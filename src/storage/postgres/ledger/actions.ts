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
import type { SqlValue } from "../../rows/row.ts";
import type { Connection, WithConnection, WithWrite, WriteConnection } from "../connection/access.ts";
import { fileNameOfAction } from "../connection/later-schemas.ts";
import type { Value } from "../connection/statements.ts";

export function createActions(read: WithConnection, write: WithWrite): Actions {
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
      read(async ({ sql }) =>
        (
          await sql(`${storedAction} WHERE s.id = ? AND a.call_id = ANY (?::text[]) ORDER BY l.lid`).all(
            sessionId,
            calls,
          )
        ).map(decodeAction),
      ),
    findEditPlaces: (sessionId, { branchId, from, to }) =>
      read(async ({ sql }) =>
        (
          await sql(`SELECT a.call_id, a.part, l.after_number FROM {sessions} s JOIN {session_actions} l ON l.sid = s.sid
            JOIN {actions} a ON a.aid = l.aid WHERE s.id = ? AND l.after_number BETWEEN ? AND ?
            AND l.after_branch = ? AND a.type = 'edit' ORDER BY l.lid`).all(
            sessionId,
            from,
            to,
            toColumn(branchId),
          )
        ).map(decodeEditPlace),
      ),
    findRelated: (sessionId, limit) =>
      read(async ({ sql }) =>
        (
          await sql(`SELECT o.id FROM {sessions} o WHERE o.deleted_at IS NULL AND o.sid IN (
            SELECT other.sid FROM {sessions} s JOIN {session_actions} mine ON mine.sid = s.sid
            JOIN {session_actions} other ON other.aid = mine.aid AND other.sid <> mine.sid WHERE s.id = ?)
            ORDER BY o.sid LIMIT ?`).all(sessionId, limit)
        ).map(({ id }) => String(id)),
      ),
  };
}

const names = actionColumnNames.split(", ");
const typeOf = (name: string): string => (name === "part" ? "bigint" : "text");
const lists = names.map((name) => `?::${typeOf(name)}[]`).join(", ");

/** Inserts the new actions, and the places of all given actions in the session. Returns how many places were new. */
async function insertActions(
  { sql }: WriteConnection,
  sessionId: string,
  actions: readonly KeptAction[],
): Promise<number> {
  const sid = (await sql("SELECT sid FROM {sessions} s WHERE id = ?").get(sessionId))?.["sid"];
  if (sid == null) return 0;
  const byKey = new Map(actions.map((action) => [String(actionColumns(action)[0]), action]));
  const rows = [...byKey.values()].map((action) => actionColumns(action) as readonly SqlValue[]);
  await sql(`INSERT INTO actions (tenant, ${actionColumnNames}) SELECT @tenant, u.* FROM unnest(${lists}) u
    ON CONFLICT (tenant, key) DO NOTHING`).run(...names.map((_, n) => rows.map((row) => row[n] ?? null)));
  const places = [...byKey].map(([key, action]) => [key, ...placeColumns(action)] as const);
  return sql(`INSERT INTO session_actions (tenant, sid, aid, branch_id, after_branch, after_number)
    SELECT @tenant, ?, a.aid, p.branch_id, p.after_branch, p.after_number
    FROM unnest(?::text[], ?::text[], ?::text[], ?::bigint[])
      WITH ORDINALITY p (key, branch_id, after_branch, after_number, nth)
    JOIN {actions} a ON a.key = p.key ORDER BY p.nth ON CONFLICT (tenant, sid, aid) DO NOTHING`).run(
    sid,
    places.map(([key]) => key),
    places.map(([, branch]) => branch),
    places.map(([, , branch]) => branch),
    places.map(([, , , number]) => number),
  );
}

async function selectChanges(
  { sql }: Connection,
  known: ReturnType<typeof createKnownActions>,
  project: string | undefined,
  { limit, ...query }: ChangeQuery,
): Promise<StoredAction[]> {
  const [condition, values]: [string, Value[]] =
    "files" in query
      ? [`a.path IS NOT NULL AND ${fileNameOfAction} = ANY (?::text[])`, [query.files]]
      : "refusedSince" in query
        ? ["a.type = 'refusal' AND a.at >= ?", [query.refusedSince]]
        : ["a.path IS NOT NULL AND a.at BETWEEN ? AND ?", [query.from, query.to]];
  const rows = await sql(`SELECT l.lid, l.branch_id, l.after_branch, l.after_number, s.id, a.aid, a.key, a.at
    FROM {actions} a JOIN {session_actions} l ON l.aid = a.aid JOIN {sessions} s ON s.sid = l.sid
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
      : await sql("SELECT a.* FROM {actions} a WHERE a.aid = ANY (?::bigint[])").all(missing);
  return known.decode(rows, read);
}

const storedAction = `SELECT l.lid, l.branch_id, l.after_branch, l.after_number, s.id, a.* FROM {session_actions} l
  JOIN {sessions} s ON s.sid = l.sid JOIN {actions} a ON a.aid = l.aid`;

async function select(
  { sql }: Connection,
  condition: string,
  values: readonly SqlValue[],
  { after, limit, type }: ActionPage,
): Promise<StoredAction[]> {
  const rows = await sql(
    `${storedAction} WHERE ${condition} AND l.lid > ?${type === undefined ? "" : " AND a.type = ?"} ORDER BY l.lid LIMIT ?`,
  ).all(...values, after, ...(type === undefined ? [] : [type]), limit);
  return rows.map(decodeAction);
}

/** Erases a session's actions, except those of other sessions. Call inside a write, before its row is deleted. */
export async function eraseActions({ sql }: WriteConnection, sid: number): Promise<void> {
  await sql(`DELETE FROM actions a WHERE a.tenant = @tenant
    AND a.aid IN (SELECT mine.aid FROM {session_actions} mine WHERE mine.sid = ?1)
    AND NOT EXISTS (SELECT 1 FROM {session_actions} l WHERE l.aid = a.aid AND l.sid <> ?1)`).run(sid);
  await sql("DELETE FROM session_actions WHERE tenant = @tenant AND sid = ?").run(sid);
}
