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
import type { Row } from "../../rows/row.ts";
import type { Connection, WithConnection, WithWrite } from "../connection/access.ts";
import { recallOutcome, rememberOutcome } from "../connection/idempotency.ts";
import { nextSeq } from "../connection/sequence.ts";
import { insertNotebook, insertVersions, readWhole } from "./notebook-rows.ts";

export function createNotebookStore(read: WithConnection, write: WithWrite, clock: Clock): NotebookStore {
  const now = () => clock().getTime();
  return {
    createNotebook: (draft, once) =>
      write(async (connection) => {
        const scope = onceScopes.notebooksOf(draft.project);
        const earlier = await recallOutcome<{ id: string }>(connection, scope, once);
        if (earlier)
          return requireResult(await findNotebook(connection, now(), draft.project, earlier.id), "notebook");
        const nid = insertNotebook(connection, draftColumns(draft));
        insertVersions(connection, versionsOfDraft(nid, draft));
        rememberOutcome(connection, scope, once, { id: draft.id }, new Date(draft.at).toISOString());
        return (await findNotebook(connection, now(), draft.project, draft.id)) as StoredNotebook;
      }),
    readNotebook: (project, notebookId) =>
      read((connection) => findNotebook(connection, now(), project, notebookId)),
    listNotebooks: (filter) => read((connection) => selectHeads(connection, filter)),
    readHistory: (notebookId, cellId) =>
      read(async (connection) => {
        const row = await connection.sql("SELECT nid FROM {notebooks} n WHERE id = ?").get(notebookId);
        return row ? selectHistory(connection, Number(row["nid"]), cellId) : [];
      }),
    changeCells: ({ project, notebookId, at, once, historyOf }, decide) =>
      write(async (connection) => {
        const row = await selectRow(connection, project, notebookId);
        if (!row) return undefined;
        const nid = Number(row["nid"]);
        const notebook = await readWhole(connection, row, now());
        const scope = onceScopes.notebook(notebookId);
        const earlier = await recallOutcome<{ cellId: string }>(connection, scope, once);
        if (earlier) return { notebook, cellId: earlier.cellId };
        const history = historyOf ? await selectHistory(connection, nid, historyOf(notebook)) : [];
        const { cells, cellId, written } = decide(notebook, history);
        if (written) insertVersions(connection, [{ nid, cellId, version: written, at }]);
        const changed = cellsColumns(cells);
        connection.send(
          connection
            .sql(`UPDATE notebooks SET cells = ?, title = ?, updated_at = greatest(updated_at, ?)
              WHERE tenant = @tenant AND nid = ?`)
            .run(changed.cells, changed.title, at, nid),
        );
        rememberOutcome(connection, scope, once, { cellId }, new Date(at).toISOString());
        return {
          notebook: (await findNotebook(connection, now(), project, notebookId)) as StoredNotebook,
          cellId,
        };
      }),
    trashNotebook: (project, notebookId, at) =>
      write(
        async ({ sql }) =>
          (await sql(`UPDATE notebooks SET deleted_at = ? WHERE tenant = @tenant AND project = ? AND id = ?
            AND deleted_at IS NULL`).run(at, project, notebookId)) > 0,
      ),
    restoreNotebook: (project, notebookId, at) =>
      write(async (connection) => {
        await connection
          .sql(`UPDATE notebooks SET deleted_at = NULL, updated_at = greatest(updated_at, ?)
            WHERE tenant = @tenant AND project = ? AND id = ?`)
          .run(at, project, notebookId);
        return findNotebook(connection, now(), project, notebookId);
      }),
    beginRun: ({ notebookId, cellId, version, at, expiresAt, queue }) =>
      write(async (connection) => {
        const { sql } = connection;
        const row = await sql(`SELECT nid, (SELECT max(expires_at) FROM {notebook_runs} r WHERE r.nid = n.nid
          AND r.status = 'running') AS busy_until FROM {notebooks} n WHERE id = ?`).get(notebookId);
        if (!row || !mayRun(Number(row["busy_until"] ?? 0), at)) return undefined;
        const rid = nextSeq(connection);
        await sql(`INSERT INTO notebook_runs (tenant, rid, nid, cell_id, version, status, started_at, expires_at,
          is_evidence) VALUES (@tenant, ?, ?, ?, ?, 'running', ?, ?, 0)`).run(
          ...[rid, row["nid"] ?? 0, cellId, version, at, expiresAt],
        );
        if (queue)
          await sql("UPDATE notebook_queues SET cells = ? WHERE tenant = @tenant AND qid = ?").run(
            ...[JSON.stringify(queue.cells), queue.id],
          );
        return rid;
      }),
    renewRun: (runId, expiresAt) =>
      write(async ({ sql }) => {
        await sql(`UPDATE notebook_runs SET expires_at = ?
          WHERE tenant = @tenant AND rid = ? AND status = 'running'`).run(expiresAt, runId);
      }),
    joinQueue: ({ notebookId, cells, at, expiresAt }) =>
      write(async (connection) => {
        const { sql } = connection;
        const row = await sql("SELECT nid FROM {notebooks} n WHERE id = ?").get(notebookId);
        if (!row) return undefined;
        const nid = row["nid"] ?? 0;
        await sql("DELETE FROM notebook_queues WHERE tenant = @tenant AND nid = ? AND expires_at < ?").run(
          ...[nid, at],
        );
        const qid = nextSeq(connection);
        await sql(`INSERT INTO notebook_queues (tenant, qid, nid, cells, expires_at)
          VALUES (@tenant, ?, ?, ?, ?)`).run(...[qid, nid, JSON.stringify(cells), expiresAt]);
        return qid;
      }),
    renewQueue: (queueId, expiresAt) =>
      write(async ({ sql }) => {
        await sql("UPDATE notebook_queues SET expires_at = ? WHERE tenant = @tenant AND qid = ?").run(
          ...[expiresAt, queueId],
        );
      }),
    leaveQueue: (queueId) =>
      write(async ({ sql }) => {
        await sql("DELETE FROM notebook_queues WHERE tenant = @tenant AND qid = ?").run(queueId);
      }),
    endRun: (runId, { status, ...result }, at, { isEvidence }) =>
      write(async (connection) => {
        const { sql } = connection;
        const ended =
          await sql(`UPDATE notebook_runs SET status = ?, result = ?, ended_at = ?, is_evidence = ?
          WHERE tenant = @tenant AND rid = ? RETURNING nid, cell_id`).get(
            ...[status, JSON.stringify(result), at, isEvidence ? 1 : 0, runId],
          );
        if (!ended) return undefined;
        await pruneRuns(connection, ended);
        const row = await sql("SELECT * FROM {notebooks} n WHERE deleted_at IS NULL AND nid = ?").get(
          ended["nid"] ?? 0,
        );
        return row && readWhole(connection, row, now());
      }),
    listRuns: (notebookId, cellId, limit) =>
      read(async ({ sql }) => {
        const rows = await sql(`SELECT r.* FROM {notebook_runs} r JOIN {notebooks} n ON n.nid = r.nid
          WHERE n.id = ? AND r.cell_id = ? ORDER BY r.rid DESC LIMIT ?`).all(notebookId, cellId, limit);
        return rows.map((row) => decodeRun(row, now()));
      }),
    readRun: (notebookId, cellId, startedAt) =>
      read(async ({ sql }) => {
        const row = await sql(`SELECT r.* FROM {notebook_runs} r JOIN {notebooks} n ON n.nid = r.nid
          WHERE n.id = ? AND r.cell_id = ? AND r.started_at = ? ORDER BY r.rid DESC LIMIT 1`).get(
          ...[notebookId, cellId, startedAt],
        );
        return row && decodeRun(row, now());
      }),
  };
}

/** Deletes old runs of a cell, except those that are evidence. */
async function pruneRuns({ sql }: Connection, { nid = 0, cell_id = "" }: Row): Promise<void> {
  await sql(`DELETE FROM notebook_runs WHERE tenant = @tenant AND nid = ?1 AND cell_id = ?2 AND is_evidence = 0 AND rid <
    (SELECT rid FROM {notebook_runs} r WHERE nid = ?1 AND cell_id = ?2 ORDER BY rid DESC LIMIT 1 OFFSET ?3)`).run(
    ...[nid, cell_id, notebookLimits.runsKept - 1],
  );
}

const selectRow = ({ sql }: Connection, project: string, id: string): Promise<Row | undefined> =>
  sql("SELECT * FROM {notebooks} n WHERE project = ? AND id = ? AND deleted_at IS NULL").get(project, id);

async function findNotebook(
  connection: Connection,
  now: number,
  project: string,
  id: string,
): Promise<StoredNotebook | undefined> {
  const row = await selectRow(connection, project, id);
  return row && readWhole(connection, row, now);
}

async function selectHistory({ sql }: Connection, nid: number, cellId: string) {
  const rows = await sql(
    "SELECT * FROM {notebook_cells} c WHERE nid = ? AND cell_id = ? ORDER BY version",
  ).all(nid, cellId);
  return rows.map(decodeVersion);
}

async function selectHeads(
  { sql }: Connection,
  { project, trash, limit, offset }: Parameters<NotebookStore["listNotebooks"]>[0],
) {
  const where = `project = ? AND deleted_at IS ${trash ? "NOT NULL" : "NULL"}`;
  const [total, rows] = await Promise.all([
    sql(`SELECT count(*) AS total FROM {notebooks} n WHERE ${where}`).get(project),
    sql(`SELECT *, json_array_length(cells::json) AS cell_count FROM {notebooks} n WHERE ${where}
      ORDER BY updated_at DESC, nid DESC LIMIT ? OFFSET ?`).all(project, limit, offset),
  ]);
  return { notebooks: rows.map(decodeHead), total: Number(total?.["total"] ?? 0) };
}
