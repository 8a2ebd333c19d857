import { onceScopes } from "../../../domain/ledger/requests.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { EmptiedTrash, Trash } from "../../../ports/upkeep.ts";
import { decodeSession, sessionColumns } from "../../rows/ledger-rows.ts";
import {
  decodeThing,
  decodeTrashedNote,
  eraseEach,
  tablesOfNotebook,
  tablesOfSession,
  trashQueries,
} from "../../rows/trash-rows.ts";
import type { WithConnection } from "../connection/access.ts";
import type { Row } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";
import { nextSeq } from "../connection/sequence.ts";
import { eraseActions } from "../ledger/actions.ts";
import { readCritiquesInStrides } from "../ledger/critiques.ts";
import { insertNote } from "../ledger/knowledge-store.ts";
import { selectStride, sidInTrash } from "../ledger/thought-reads.ts";
import { forgetThoughts } from "../search/words.ts";

const { deletedNotes, newestDeleted, things } = trashQueries({
  of: (table) => table,
  day: (ms) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${ms} / 1000.0, 'unixepoch')`,
});

export function createTrash(read: WithConnection, write: WithConnection, clock: Clock): Trash {
  return {
    listTrash: (limit) =>
      read(({ sql }) => ({
        things: sql(`SELECT * FROM (${things}) ORDER BY at DESC, kind, id LIMIT ?`)
          .all(limit)
          .map(decodeThing),
        total: Number(sql(`SELECT count(*) AS total FROM (${things})`).get()?.["total"] ?? 0),
      })),
    async emptyTrash() {
      const [sessions = [], notebooks = []] = await read(({ sql }) => [
        sql("SELECT sid, id, project FROM sessions WHERE deleted_at IS NOT NULL").all(),
        sql("SELECT nid, id, project FROM notebooks WHERE deleted_at IS NOT NULL").all(),
      ]);
      return {
        sessions: await eraseEach(sessions, (row) => write((connection) => eraseSession(connection, row))),
        notebooks: await eraseEach(notebooks, (row) => write((connection) => eraseNotebook(connection, row))),
        notes: await write(({ sql }) => {
          const count = Number(sql(`SELECT count(*) AS n FROM (${newestDeleted}) n`).get()?.["n"]);
          sql(`DELETE FROM notes WHERE nid IN (SELECT n.nid ${deletedNotes})`).run();
          return count;
        }),
      };
    },
    async eraseSessions(sessionIds) {
      const erased: EmptiedTrash["sessions"] = [];
      for (const id of sessionIds) {
        const rows = await read(({ sql }) =>
          sql("SELECT sid, id, project FROM sessions WHERE id = ? AND deleted_at IS NOT NULL").all(id),
        );
        erased.push(...(await eraseEach(rows, (row) => write((one) => eraseSession(one, row)))));
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
      read(({ sql }) => sql(`${newestDeleted} LIMIT ? OFFSET ?`).all(limit, offset).map(decodeTrashedNote)),
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

/** Erases a session. Keeps it and returns false if it was restored after it was listed. */
function eraseSession(connection: Connection, { sid = 0, id = "" }: Row): boolean {
  const { sql } = connection;
  if (!sql("SELECT 1 FROM sessions WHERE sid = ? AND id = ? AND deleted_at IS NOT NULL").get(sid, id))
    return false;
  // A number is never assigned twice, even if its thought is erased.
  nextSeq(connection);
  forgetThoughts(connection, Number(sid));
  eraseActions(connection, Number(sid));
  sql("DELETE FROM session_words WHERE rowid = ?").run(sid);
  sql("DELETE FROM tree_owed WHERE session_id = ?").run(id);
  for (const table of tablesOfSession) sql(`DELETE FROM ${table} WHERE sid = ?`).run(sid);
  sql("DELETE FROM idempotency WHERE scope = ?").run(onceScopes.session(String(id)));
  sql("UPDATE conversations SET session_id = NULL WHERE session_id = ?").run(id);
  return true;
}

function eraseNotebook({ sql }: Connection, { nid = 0, id = "" }: Row): boolean {
  if (!sql("SELECT 1 FROM notebooks WHERE nid = ? AND deleted_at IS NOT NULL").get(nid)) return false;
  for (const table of tablesOfNotebook) sql(`DELETE FROM ${table} WHERE nid = ?`).run(nid);
  sql("DELETE FROM idempotency WHERE scope = ?").run(onceScopes.notebook(String(id)));
  return true;
}
