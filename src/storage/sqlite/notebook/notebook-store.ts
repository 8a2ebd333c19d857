import { onceScopes, requireResult } from "../../../domain/ledger/requests.ts";
import { mayRun } from "../../../domain/notebook/cell-status.ts";
import { notebookLimits } from "../../../domain/notebook/notebook.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { NotebookStore, StoredNotebook } from "../../../ports/notebook/notebook-store.ts";
import {
  cellsColumns,
  decodeHead,
  decodeRun,
  decodeVersion,
  draftColumns,
  versionsOfDraft,
} from "../../rows/notebook-rows.ts";
import type { WithConnection } from "../connection/access.ts";
import type { Row } from "../connection/driver.ts";
import { recallOutcome, rememberOutcome } from "../connection/idempotency.ts";
import type { Connection } from "../connection/open-database.ts";
import { nextSeq } from "../connection/sequence.ts";
import { insertNotebook, insertVersions, readWhole } from "./notebook-rows.ts";

export function createNotebookStore(
  read: WithConnection,
  write: WithConnection,
  clock: Clock,
): NotebookStore {
  const now = () => clock().getTime();
  return {
    createNotebook: (draft, once) =>
      write((connection) => {
        const scope = onceScopes.notebooksOf(draft.project);
        const earlier = recallOutcome<{ id: string }>(connection, scope, once);
        if (earlier)
          return requireResult(findNotebook(connection, now(), draft.project, earlier.id), "notebook");
        const nid = insertNotebook(connection, draftColumns(draft));
        insertVersions(connection, versionsOfDraft(nid, draft));
        rememberOutcome(connection, scope, once, { id: draft.id }, new Date(draft.at).toISOString());
        return findNotebook(connection, now(), draft.project, draft.id) as StoredNotebook;
      }),
    readNotebook: (project, notebookId) =>
      read((connection) => findNotebook(connection, now(), project, notebookId)),
    listNotebooks: (filter) => read((connection) => selectHeads(connection, filter)),
    readHistory: (notebookId, cellId) =>
      read((connection) => {
        const row = connection.sql("SELECT nid FROM notebooks WHERE id = ?").get(notebookId);
        return row ? selectHistory(connection, Number(row["nid"]), cellId) : [];
      }),
    changeCells: ({ project, notebookId, at, once, historyOf }, decide) =>
      write((connection) => {
        const row = selectRow(connection, project, notebookId);
        if (!row) return undefined;
        const nid = Number(row["nid"]);
        const notebook = readWhole(connection, row, now());
        const earlier = recallOutcome<{ cellId: string }>(connection, onceScopes.notebook(notebookId), once);
        if (earlier) return { notebook, cellId: earlier.cellId };
        const { cells, cellId, written } = decide(
          notebook,
          historyOf ? selectHistory(connection, nid, historyOf(notebook)) : [],
        );
        if (written) insertVersions(connection, [{ nid, cellId, version: written, at }]);
        const changed = cellsColumns(cells);
        connection
          .sql("UPDATE notebooks SET cells = ?, title = ?, updated_at = max(updated_at, ?) WHERE nid = ?")
          .run(changed.cells, changed.title, at, nid);
        rememberOutcome(
          connection,
          onceScopes.notebook(notebookId),
          once,
          { cellId },
          new Date(at).toISOString(),
        );
        return { notebook: findNotebook(connection, now(), project, notebookId) as StoredNotebook, cellId };
      }),
    trashNotebook: (project, notebookId, at) =>
      write(
        ({ sql }) =>
          sql("UPDATE notebooks SET deleted_at = ? WHERE project = ? AND id = ? AND deleted_at IS NULL").run(
            at,
            project,
            notebookId,
          ).changes > 0,
      ),
    restoreNotebook: (project, notebookId, at) =>
      write((connection) => {
        connection
          .sql(
            "UPDATE notebooks SET deleted_at = NULL, updated_at = max(updated_at, ?) WHERE project = ? AND id = ?",
          )
          .run(at, project, notebookId);
        return findNotebook(connection, now(), project, notebookId);
      }),
    beginRun: ({ notebookId, cellId, version, at, expiresAt, queue }) =>
      write((connection) => {
        const { sql } = connection;
        const row = sql("SELECT nid FROM notebooks WHERE id = ?").get(notebookId);
        const nid = Number(row?.["nid"]);
        const busy = sql(
          "SELECT max(expires_at) AS until FROM notebook_runs WHERE nid = ? AND status = 'running'",
        ).get(nid);
        if (!row || !mayRun(Number(busy?.["until"] ?? 0), at)) return undefined;
        const rid = nextSeq(connection);
        sql(
          `INSERT INTO notebook_runs (rid, nid, cell_id, version, status, started_at, expires_at, is_evidence)
           VALUES (?, ?, ?, ?, 'running', ?, ?, 0)`,
        ).run(rid, nid, cellId, version, at, expiresAt);
        if (queue)
          sql("UPDATE notebook_queues SET cells = ? WHERE qid = ?").run(
            JSON.stringify(queue.cells),
            queue.id,
          );
        return rid;
      }),
    renewRun: (runId, expiresAt) =>
      write(({ sql }) => {
        sql("UPDATE notebook_runs SET expires_at = ? WHERE rid = ? AND status = 'running'").run(
          expiresAt,
          runId,
        );
      }),
    joinQueue: ({ notebookId, cells, at, expiresAt }) =>
      write((connection) => {
        const { sql } = connection;
        const row = sql("SELECT nid FROM notebooks WHERE id = ?").get(notebookId);
        if (!row) return undefined;
        const nid = Number(row["nid"]);
        sql("DELETE FROM notebook_queues WHERE nid = ? AND expires_at < ?").run(nid, at);
        const qid = nextSeq(connection);
        sql("INSERT INTO notebook_queues (qid, nid, cells, expires_at) VALUES (?, ?, ?, ?)").run(
          ...[qid, nid, JSON.stringify(cells), expiresAt],
        );
        return qid;
      }),
    renewQueue: (queueId, expiresAt) =>
      write(({ sql }) => {
        sql("UPDATE notebook_queues SET expires_at = ? WHERE qid = ?").run(expiresAt, queueId);
      }),
    leaveQueue: (queueId) =>
      write(({ sql }) => {
        sql("DELETE FROM notebook_queues WHERE qid = ?").run(queueId);
      }),
    endRun: (runId, { status, ...result }, at, { isEvidence }) =>
      write((connection) => {
        connection
          .sql("UPDATE notebook_runs SET status = ?, result = ?, ended_at = ?, is_evidence = ? WHERE rid = ?")
          .run(status, JSON.stringify(result), at, isEvidence ? 1 : 0, runId);
        pruneRuns(connection, runId);
        const row = connection
          .sql(
            "SELECT * FROM notebooks WHERE deleted_at IS NULL AND nid = (SELECT nid FROM notebook_runs WHERE rid = ?)",
          )
          .get(runId);
        return row && readWhole(connection, row, now());
      }),
    listRuns: (notebookId, cellId, limit) =>
      read(({ sql }) =>
        sql(
          `SELECT * FROM notebook_runs WHERE nid = (SELECT nid FROM notebooks WHERE id = ?)
             AND cell_id = ? ORDER BY rid DESC LIMIT ?`,
        )
          .all(notebookId, cellId, limit)
          .map((row) => decodeRun(row, now())),
      ),
    readRun: (notebookId, cellId, startedAt) =>
      read(({ sql }) => {
        const row = sql(
          `SELECT * FROM notebook_runs WHERE nid = (SELECT nid FROM notebooks WHERE id = ?)
             AND cell_id = ? AND started_at = ? ORDER BY rid DESC LIMIT 1`,
        ).get(notebookId, cellId, startedAt);
        return row && decodeRun(row, now());
      }),
  };
}

/** Deletes old runs of this run's cell, except those that are evidence. */
function pruneRuns({ sql }: Connection, runId: number): void {
  const { nid, cell_id } = sql("SELECT nid, cell_id FROM notebook_runs WHERE rid = ?").get(runId) ?? {};
  if (nid === undefined || cell_id === undefined) return;
  sql(
    `DELETE FROM notebook_runs WHERE nid = ? AND cell_id = ? AND is_evidence = 0 AND rid <
       (SELECT rid FROM notebook_runs WHERE nid = ? AND cell_id = ? ORDER BY rid DESC LIMIT 1 OFFSET ?)`,
  ).run(nid, cell_id, nid, cell_id, notebookLimits.runsKept - 1);
}

function selectRow({ sql }: Connection, project: string, id: string): Row | undefined {
  return sql("SELECT * FROM notebooks WHERE project = ? AND id = ? AND deleted_at IS NULL").get(project, id);
}

function findNotebook(
  connection: Connection,
  now: number,
  project: string,
  id: string,
): StoredNotebook | undefined {
  const row = selectRow(connection, project, id);
  return row && readWhole(connection, row, now);
}

function selectHistory({ sql }: Connection, nid: number, cellId: string) {
  return sql("SELECT * FROM notebook_cells WHERE nid = ? AND cell_id = ? ORDER BY version")
    .all(nid, cellId)
    .map(decodeVersion);
}

function selectHeads(
  { sql }: Connection,
  { project, trash, limit, offset }: Parameters<NotebookStore["listNotebooks"]>[0],
) {
  const where = `project = ? AND deleted_at IS ${trash ? "NOT NULL" : "NULL"}`;
  const total = sql(`SELECT count(*) AS total FROM notebooks WHERE ${where}`).get(project);
  const rows = sql(
    `SELECT *, json_array_length(cells) AS cell_count FROM notebooks WHERE ${where}
     ORDER BY updated_at DESC, nid DESC LIMIT ? OFFSET ?`,
  ).all(project, limit, offset);
  return { notebooks: rows.map(decodeHead), total: Number(total?.["total"] ?? 0) };
}
