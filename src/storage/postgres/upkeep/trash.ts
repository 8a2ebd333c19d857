import { onceScopes } from "../../../domain/ledger/requests.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { Trash, TrashedKind, TrashedThing } from "../../../ports/upkeep.ts";
import { decodeNote, decodeSession, sessionColumns } from "../../rows/ledger-rows.ts";
import type { Row } from "../../rows/row.ts";
import type { WithConnection, WithWrite, WriteConnection } from "../connection/access.ts";
import { nextSeq } from "../connection/sequence.ts";
import { eraseActions } from "../ledger/actions.ts";
import { readCritiques } from "../ledger/critiques.ts";
import { insertNote } from "../ledger/knowledge-store.ts";
import { selectStride, sidInTrash } from "../ledger/thought-reads.ts";

/** A note that was replaced is also marked as deleted. Only notes without a live successor were really deleted. */
const deletedNotes = `FROM {notes} n WHERE n.deleted_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM {notes} live
  WHERE live.project = n.project AND live.kind = n.kind AND live.id = n.id AND live.deleted_at IS NULL)`;

const day = (ms: string) =>
  `to_char(to_timestamp(${ms} / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') COLLATE "C"`;

const newestDeleted = `SELECT DISTINCT ON (n.project, n.kind, n.id) n.* ${deletedNotes}
  ORDER BY n.project, n.kind, n.id, n.deleted_at DESC, n.nid DESC`;

const things = `
  SELECT 'session' AS kind, id, title, project AS place, deleted_at AS at FROM {sessions} s WHERE deleted_at IS NOT NULL
  UNION ALL SELECT n.kind, n.id, n.title, n.project, n.deleted_at FROM (${newestDeleted}) n
  UNION ALL SELECT 'notebook', id, title, project, ${day("deleted_at")} FROM {notebooks} b WHERE deleted_at IS NOT NULL
  UNION ALL SELECT 'branch', b.name, b.name, w.name, ${day("b.deleted_at_ms")} FROM {memory_branches} b
    JOIN {memory_workspaces} w ON w.wid = b.wid WHERE b.deleted_at_ms IS NOT NULL AND b.erased = 0`;

export function createTrash(read: WithConnection, write: WithWrite, clock: Clock): Trash {
  return {
    listTrash: (limit) =>
      read(async ({ sql }) => {
        const [rows, total] = await Promise.all([
          sql(`SELECT * FROM (${things}) t ORDER BY at DESC, kind COLLATE "C", id LIMIT ?`).all(limit),
          sql(`SELECT count(*) AS total FROM (${things}) t`).get(),
        ]);
        return { things: rows.map(decode), total: Number(total?.["total"] ?? 0) };
      }),
    async emptyTrash() {
      const [sessions, notebooks] = await read(({ sql }) =>
        Promise.all([
          sql("SELECT sid, id, project FROM {sessions} s WHERE deleted_at IS NOT NULL ORDER BY sid").all(),
          sql("SELECT nid, id, project FROM {notebooks} n WHERE deleted_at IS NOT NULL ORDER BY nid").all(),
        ]),
      );
      const erased = { sessions: [] as Row[], notebooks: [] as Row[] };
      for (const row of sessions)
        if (await write((connection) => eraseSession(connection, row))) erased.sessions.push(row);
      for (const row of notebooks)
        if (await write((connection) => eraseNotebook(connection, row))) erased.notebooks.push(row);
      const notes = await write(async ({ sql }) => {
        const row = await sql(`SELECT count(*) AS n FROM (${newestDeleted}) n`).get();
        await sql(`DELETE FROM notes WHERE tenant = @tenant AND nid IN (SELECT n.nid ${deletedNotes})`).run();
        return Number(row?.["n"]);
      });
      const nameOf = (row: Row) => ({ id: String(row["id"]), project: String(row["project"]) });
      return { sessions: erased.sessions.map(nameOf), notebooks: erased.notebooks.map(nameOf), notes };
    },
    async eraseSessions(sessionIds) {
      const erased: { id: string; project: string }[] = [];
      for (const id of sessionIds) {
        const row = await read(({ sql }) =>
          sql("SELECT sid, id, project FROM {sessions} s WHERE id = ? AND deleted_at IS NOT NULL").get(id),
        );
        if (row && (await write((connection) => eraseSession(connection, row))))
          erased.push({ id, project: String(row["project"]) });
      }
      return erased;
    },
    readTrashedSession: (sessionId) =>
      read(async ({ sql }) => {
        const row = await sql(
          `SELECT ${sessionColumns} FROM {sessions} s WHERE s.id = ? AND s.deleted_at IS NOT NULL`,
        ).get(sessionId);
        return row && { ...decodeSession(row, clock()), deletedAt: String(row["deleted_at"]) };
      }),
    readTrashedStride: (sessionId, after, limit) =>
      read((connection) => selectStride(connection, sessionId, after, limit, sidInTrash)),
    readTrashedCritiques: (sessionId) => readCritiques(read, sessionId, undefined, true),
    listTrashedNotes: (limit, offset) =>
      read(async ({ sql }) =>
        (await sql(`${newestDeleted} LIMIT ? OFFSET ?`).all(limit, offset)).map((row) => ({
          project: String(row["project"]),
          note: decodeNote(row),
          deletedAt: String(row["deleted_at"]),
        })),
      ),
    addTrashedNote: ({ project, note, deletedAt }) =>
      write(async (connection) => {
        const known = await connection
          .sql("SELECT 1 AS known FROM {notes} n WHERE project = ? AND kind = ? AND id = ? LIMIT 1")
          .get(project, note.kind, note.id);
        if (known) return false;
        insertNote(connection, project, note, deletedAt);
        return true;
      }),
  };
}

const ofSession = [
  "text_words",
  "critiques",
  "thoughts",
  "branches",
  "session_tags",
  "session_changes",
  "remarks",
  "sessions",
];

/** The session may have been restored since it was listed. In that case it is kept. */
async function eraseSession(connection: WriteConnection, { sid = 0, id = "" }: Row): Promise<boolean> {
  const { sql } = connection;
  const row = await sql(
    "SELECT 1 AS there FROM {sessions} s WHERE sid = ? AND id = ? AND deleted_at IS NOT NULL",
  ).get(sid, id);
  if (!row) return false;
  // A number is never assigned twice, even if its thought is erased.
  nextSeq(connection);
  await eraseActions(connection, Number(sid));
  await Promise.all([
    ...ofSession.map((table) => sql(`DELETE FROM ${table} WHERE tenant = @tenant AND sid = ?`).run(sid)),
    sql("DELETE FROM idempotency WHERE tenant = @tenant AND scope = ?").run(onceScopes.session(String(id))),
    sql("UPDATE conversations SET session_id = NULL WHERE tenant = @tenant AND session_id = ?").run(id),
  ]);
  return true;
}

async function eraseNotebook({ sql }: WriteConnection, { nid = 0, id = "" }: Row): Promise<boolean> {
  const row = await sql("SELECT 1 AS there FROM {notebooks} n WHERE nid = ? AND deleted_at IS NOT NULL").get(
    nid,
  );
  if (!row) return false;
  await Promise.all([
    ...["notebook_queues", "notebook_runs", "notebook_cells", "notebooks"].map((table) =>
      sql(`DELETE FROM ${table} WHERE tenant = @tenant AND nid = ?`).run(nid),
    ),
    sql("DELETE FROM idempotency WHERE tenant = @tenant AND scope = ?").run(onceScopes.notebook(String(id))),
  ]);
  return true;
}

const decode = (row: Row): TrashedThing => ({
  kind: String(row["kind"]) as TrashedKind,
  id: String(row["id"]),
  title: String(row["title"]),
  place: String(row["place"]),
  deletedAt: String(row["at"]),
});
