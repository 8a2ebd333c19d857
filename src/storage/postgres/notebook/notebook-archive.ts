import type {
  ArchivedNotebook,
  NotebookArchive,
  NotebookInspection,
  NotebookOutcome,
  RunRecord,
  WholeNotebook,
} from "../../../ports/notebook/notebook-archive.ts";
import {
  decodeCell,
  decodeRecord,
  decodeRunRecord,
  holdsAll,
  runColumns,
  versionsOfWhole,
  wholeColumns,
} from "../../rows/notebook-rows.ts";
import type { Connection, WithConnection, WithWrite, WriteConnection } from "../connection/access.ts";
import { bulkInsert } from "../connection/insert.ts";
import { nextSeq } from "../connection/sequence.ts";
import { insertNotebook, insertVersions, readCells } from "./notebook-rows.ts";

const listed = 20;

/** Checks that every cell that a notebook lists exists and is not deleted. */
async function inspectNotebooks({ sql }: Connection): Promise<NotebookInspection> {
  const counts = await sql(`SELECT count(*) FILTER (WHERE deleted_at IS NULL) AS notebooks,
    count(*) FILTER (WHERE deleted_at IS NOT NULL) AS trash FROM {notebooks} n`).get();
  const lacking = await sql(`SELECT notebook.id, count(*) AS cells FROM {notebooks} notebook
      CROSS JOIN LATERAL json_array_elements(notebook.cells::json) listed (value)
      LEFT JOIN {notebook_cells} cell ON cell.nid = notebook.nid
        AND cell.cell_id = listed.value ->> 0 AND cell.version = (listed.value ->> 1)::bigint
    WHERE cell.type IS NULL GROUP BY notebook.nid, notebook.id ORDER BY notebook.nid LIMIT ?`).all(listed);
  return {
    notebooks: Number(counts?.["notebooks"] ?? 0),
    inTrash: Number(counts?.["trash"] ?? 0),
    problems: lacking.map((row) => `notebook ${row["id"]} lacks ${row["cells"]} of its cells`),
  };
}

export function createNotebookArchive(read: WithConnection, write: WithWrite): NotebookArchive {
  return {
    listNotebookIds: () =>
      read(async ({ sql }) =>
        (await sql("SELECT id FROM {notebooks} n ORDER BY nid").all()).map((row) => String(row["id"])),
      ),
    readWhole: (notebookId) => read((connection) => selectWhole(connection, notebookId)),
    readLatest: (notebookId) => read((connection) => selectLatest(connection, notebookId)),
    addWhole: (whole) => write((connection) => addWhole(connection, whole)),
    inspectNotebooks: () => read(inspectNotebooks),
  };
}

async function selectWhole(connection: Connection, notebookId: string): Promise<WholeNotebook | undefined> {
  const { sql } = connection;
  const row = await sql("SELECT * FROM {notebooks} n WHERE id = ?").get(notebookId);
  if (!row) return undefined;
  const nid = Number(row["nid"]);
  const [versions, runs] = await Promise.all([
    sql("SELECT * FROM {notebook_cells} c WHERE nid = ? ORDER BY cell_id, version").all(nid),
    selectRuns(connection, nid, "latest and evidence"),
  ]);
  return { notebook: decodeRecord(row), versions: versions.map(decodeCell), runs };
}

async function selectLatest(
  connection: Connection,
  notebookId: string,
): Promise<ArchivedNotebook | undefined> {
  const row = await connection.sql("SELECT * FROM {notebooks} n WHERE id = ?").get(notebookId);
  if (!row) return undefined;
  const { cells } = await readCells(connection, row);
  const runs = await selectRuns(connection, Number(row["nid"]), "latest");
  return { ...decodeRecord(row), cells: [...cells], runs };
}

async function selectRuns(
  { sql }: Connection,
  nid: number,
  which: "latest" | "latest and evidence",
): Promise<RunRecord[]> {
  const rows = await sql(`SELECT * FROM {notebook_runs} r WHERE nid = ?1 AND ended_at IS NOT NULL
      AND (?2 = 1 AND is_evidence = 1 OR rid IN
       (SELECT max(rid) FROM {notebook_runs} l WHERE nid = ?1 AND ended_at IS NOT NULL GROUP BY cell_id))
     ORDER BY cell_id, rid`).all(nid, which === "latest" ? 0 : 1);
  return rows.map(decodeRunRecord);
}

const insertRuns = bulkInsert("notebook_runs", runColumns);

async function addWhole(connection: WriteConnection, whole: WholeNotebook): Promise<NotebookOutcome> {
  const { notebook, runs } = whole;
  const there = await selectWhole(connection, notebook.id);
  if (there) return holdsAll(there, whole) ? "kept" : "refused";
  const nid = insertNotebook(connection, wholeColumns(whole));
  insertVersions(connection, versionsOfWhole(nid, whole));
  if (runs.length > 0)
    await insertRuns(
      connection,
      runs.map((run) => ({ rid: nextSeq(connection), nid, run })),
    );
  return "added";
}
