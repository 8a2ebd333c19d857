import { onceScopes } from "../../../domain/ledger/requests.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { Trash, TrashedKind, TrashedThing } from "../../../ports/upkeep.ts";
import { decodeNote, decodeSession, sessionColumns } from "../../rows/ledger-rows.ts";
import type { WithConnection } from "../connection/access.ts";
import type { Row } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";
import { nextSeq } from "../connection/sequence.ts";
import { eraseActions } from "../ledger/actions.ts";
import { readCritiquesInStrides } from "../ledger/critiques.ts";
import { insertNote } from "../ledger/knowledge-store.ts";
import { selectStride, sidInTrash } from "../ledger/thought-reads.ts";
import { forgetThoughts } from "../search/words.ts";

/** A note that was replaced is also marked as deleted. Only notes without a live successor were really deleted. */
const deletedNotes = `FROM notes n WHERE n.deleted_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM notes live
  WHERE live.project = n.project AND live.kind = n.kind AND live.id = n.id AND live.deleted_at IS NULL)`;

const day = (ms: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${ms} / 1000.0, 'unixepoch')`;

const things = `
  SELECT 'session' AS kind, id, title, project AS place, deleted_at AS at FROM sessions WHERE deleted_at IS NOT NULL
  UNION ALL SELECT n.kind, n.id, n.title, n.project, max(n.deleted_at) ${deletedNotes} GROUP BY n.project, n.kind, n.id
  UNION ALL SELECT 'notebook', id, title, project, ${day("deleted_at")} FROM notebooks WHERE deleted_at IS NOT NULL
  UNION ALL SELECT 'branch', b.name, b.name, w.name, ${day("b.deleted_at_ms")} FROM memory_branches b
    JOIN memory_workspaces w USING (wid) WHERE b.deleted_at_ms IS NOT NULL AND b.erased = 0`;

export function createTrash(read: WithConnection, write: WithConnection, clock: Clock): Trash {
  return {
    listTrash: (limit) =>
      read(({ sql }) => ({
        things: sql(`SELECT * FROM (${things}) ORDER BY at DESC, kind, id LIMIT ?`).all(limit).map(decode),
        total: Number(sql(`SELECT count(*) AS total FROM (${things})`).get()?.["total"] ?? 0),
      })),
    async emptyTrash() {
      const [sessions, notebooks] = await read(({ sql }) => [
        sql("SELECT sid, id, project FROM sessions WHERE deleted_at IS NOT NULL").all(),
        sql("SELECT nid, id, project FROM notebooks WHERE deleted_at IS NOT NULL").all(),
      ]);
      const erased = { sessions: [] as Row[], notebooks: [] as Row[] };
      for (const row of sessions ?? [])
        if (await write((connection) => eraseSession(connection, row))) erased.sessions.push(row);
      for (const row of notebooks ?? [])
        if (await write((connection) => eraseNotebook(connection, row))) erased.notebooks.push(row);
      const notes = await write(({ sql }) => {
        const count = Number(
          sql(
            `SELECT count(*) AS n FROM (SELECT 1 ${deletedNotes} GROUP BY n.project, n.kind, n.id)`,
          ).get()?.["n"],
        );
        sql(`DELETE FROM notes WHERE nid IN (SELECT n.nid ${deletedNotes})`).run();
        return count;
      });
      const nameOf = (row: Row) => ({ id: String(row["id"]), project: String(row["project"]) });
      return { sessions: erased.sessions.map(nameOf), notebooks: erased.notebooks.map(nameOf), notes };
    },
    async eraseSessions(sessionIds) {
      const erased: { id: string; project: string }[] = [];
      for (const id of sessionIds) {
        const row = await read(({ sql }) =>
          sql("SELECT sid, id, project FROM sessions WHERE id = ? AND deleted_at IS NOT NULL").get(id),
        );
        if (row && (await write((connection) => eraseSession(connection, row))))
          erased.push({ id, project: String(row["project"]) });
      }
      return erased;
    },
    readTrashedSession: (sessionId) =>
      read(({ sql }) => {
        const row = sql(
          `SELECT ${sessionColumns} FROM sessions s WHERE s.id = ? AND s.deleted_at IS NOT NULL`,
        ).get(sessionId);
        return row && { ...decodeSession(row, clock()), deletedAt: String(row["deleted_at"]) };
      }),
    readTrashedStride: (sessionId, after, limit) =>
      read((connection) => selectStride(connection, sessionId, after, limit, sidInTrash)),
    readTrashedCritiques: (sessionId) => readCritiquesInStrides(read, sessionId, undefined, true),
    listTrashedNotes: (limit, offset) =>
      read(({ sql }) =>
        sql(`SELECT n.*, max(n.deleted_at) AS deleted_at ${deletedNotes} GROUP BY n.project, n.kind, n.id
          ORDER BY n.project, n.kind, n.id LIMIT ? OFFSET ?`)
          .all(limit, offset)
          .map((row) => ({
            project: String(row["project"]),
            note: decodeNote(row),
            deletedAt: String(row["deleted_at"]),
          })),
      ),
    addTrashedNote: ({ project, note, deletedAt }) =>
      write((connection) => {
        const { sql } = connection;
        const known = sql("SELECT 1 FROM notes WHERE project = ? AND kind = ? AND id = ? LIMIT 1");
        if (known.get(project, note.kind, note.id)) return false;
        insertNote(connection, project, note, deletedAt);
        return true;
      }),
  };
}

/** The session may have been restored since it was listed. In that case it is kept. */
function eraseSession(connection: Connection, { sid = 0, id = "" }: Row): boolean {
  const { sql } = connection;
  if (!sql("SELECT 1 FROM sessions WHERE sid = ? AND id = ? AND deleted_at IS NOT NULL").get(sid, id))
    return false;
  // A number is never assigned twice, even if its thought is erased.
  nextSeq(connection);
  forgetThoughts(connection, Number(sid));
  eraseActions(connection, Number(sid));
  for (const table of ["critiques", "thoughts", "branches", "session_tags", "session_changes", "remarks"])
    sql(`DELETE FROM ${table} WHERE sid = ?`).run(sid);
  sql("DELETE FROM session_words WHERE rowid = ?").run(sid);
  sql("DELETE FROM tree_owed WHERE session_id = ?").run(id);
  sql("DELETE FROM idempotency WHERE scope = ?").run(onceScopes.session(String(id)));
  sql("UPDATE conversations SET session_id = NULL WHERE session_id = ?").run(id);
  sql("DELETE FROM sessions WHERE sid = ?").run(sid);
  return true;
}

function eraseNotebook({ sql }: Connection, { nid = 0, id = "" }: Row): boolean {
  if (!sql("SELECT 1 FROM notebooks WHERE nid = ? AND deleted_at IS NOT NULL").get(nid)) return false;
  for (const table of ["notebook_queues", "notebook_runs", "notebook_cells"])
    sql(`DELETE FROM ${table} WHERE nid = ?`).run(nid);
  sql("DELETE FROM idempotency WHERE scope = ?").run(onceScopes.notebook(String(id)));
  sql("DELETE FROM notebooks WHERE nid = ?").run(nid);
  return true;
}

const decode = (row: Row): TrashedThing => ({
  kind: String(row["kind"]) as TrashedKind,
  id: String(row["id"]),
  title: String(row["title"]),
  place: String(row["place"]),
  deletedAt: String(row["at"]),
});
