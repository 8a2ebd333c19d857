import { onceScopes } from "../../../domain/ledger/requests.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { EmptiedTrash, Trash } from "../../../ports/upkeep.ts";
import { decodeSession, sessionColumns } from "../../rows/ledger-rows.ts";
import type { Row } from "../../rows/row.ts";
import {
  decodeThing,
  decodeTrashedNote,
  eraseEach,
  tablesOfNotebook,
  tablesOfSession,
  trashQueries,
} from "../../rows/trash-rows.ts";
import type { WithConnection, WithWrite, WriteConnection } from "../connection/access.ts";
import { nextSeq } from "../connection/sequence.ts";
import { eraseActions } from "../ledger/actions.ts";
import { readCritiques } from "../ledger/critiques.ts";
import { insertNote } from "../ledger/knowledge-store.ts";
import { selectStride, sidInTrash } from "../ledger/thought-reads.ts";

const { deletedNotes, newestDeleted, things } = trashQueries({
  of: (table) => `{${table}}`,
  day: (ms) =>
    `to_char(to_timestamp(${ms} / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') COLLATE "C"`,
});

export function createTrash(read: WithConnection, write: WithWrite, clock: Clock): Trash {
  return {
    listTrash: (limit) =>
      read(async ({ sql }) => {
        const [rows, total] = await Promise.all([
          sql(`SELECT * FROM (${things}) t ORDER BY at DESC, kind COLLATE "C", id LIMIT ?`).all(limit),
          sql(`SELECT count(*) AS total FROM (${things}) t`).get(),
        ]);
        return { things: rows.map(decodeThing), total: Number(total?.["total"] ?? 0) };
      }),
    async emptyTrash() {
      const [sessions, notebooks] = await read(({ sql }) =>
        Promise.all([
          sql("SELECT sid, id, project FROM {sessions} s WHERE deleted_at IS NOT NULL ORDER BY sid").all(),
          sql("SELECT nid, id, project FROM {notebooks} n WHERE deleted_at IS NOT NULL ORDER BY nid").all(),
        ]),
      );
      return {
        sessions: await eraseEach(sessions, (row) => write((connection) => eraseSession(connection, row))),
        notebooks: await eraseEach(notebooks, (row) => write((connection) => eraseNotebook(connection, row))),
        notes: await write(async ({ sql }) => {
          const row = await sql(`SELECT count(*) AS n FROM (${newestDeleted}) n`).get();
          await sql(
            `DELETE FROM notes WHERE tenant = @tenant AND nid IN (SELECT n.nid ${deletedNotes})`,
          ).run();
          return Number(row?.["n"]);
        }),
      };
    },
    async eraseSessions(sessionIds) {
      const erased: EmptiedTrash["sessions"] = [];
      for (const id of sessionIds) {
        const rows = await read(({ sql }) =>
          sql("SELECT sid, id, project FROM {sessions} s WHERE id = ? AND deleted_at IS NOT NULL").all(id),
        );
        erased.push(...(await eraseEach(rows, (row) => write((one) => eraseSession(one, row)))));
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
        (await sql(`${newestDeleted} LIMIT ? OFFSET ?`).all(limit, offset)).map(decodeTrashedNote),
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

/** Erases a session. If it was restored after it was listed, keeps it and returns false. */
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
    ...["text_words", ...tablesOfSession].map((table) =>
      sql(`DELETE FROM ${table} WHERE tenant = @tenant AND sid = ?`).run(sid),
    ),
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
    ...tablesOfNotebook.map((table) =>
      sql(`DELETE FROM ${table} WHERE tenant = @tenant AND nid = ?`).run(nid),
    ),
    sql("DELETE FROM idempotency WHERE tenant = @tenant AND scope = ?").run(onceScopes.notebook(String(id))),
  ]);
  return true;
}
