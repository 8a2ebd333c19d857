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
import type { WithConnection } from "../connection/access.ts";
import type { Connection } from "../connection/open-database.ts";
import { nextSeq } from "../connection/sequence.ts";
import { bulkInsert } from "../connection/statements.ts";
import { insertNotebook, insertVersions, readCells } from "./notebook-rows.ts";

const listed = 20;

/** Checks that every cell that a notebook lists exists and is not deleted. */
function inspectNotebooks({ sql }: Connection): NotebookInspection {
  const counts = sql(
    `SELECT count(*) FILTER (WHERE deleted_at IS NULL) AS notebooks,
       count(*) FILTER (WHERE deleted_at IS NOT NULL) AS trash FROM notebooks`,
  ).get();
  const unreadable = sql("SELECT id FROM notebooks WHERE NOT json_valid(cells) ORDER BY nid LIMIT ?").all(
    listed,
  );
  const lacking = sql(
    `SELECT notebook.id, count(*) AS cells FROM notebooks AS notebook, json_each(notebook.cells) AS listed
       LEFT JOIN notebook_cells AS cell ON cell.nid = notebook.nid
         AND cell.cell_id = listed.value ->> 0 AND cell.version = listed.value ->> 1
     WHERE json_valid(notebook.cells) AND cell.type IS NULL GROUP BY notebook.nid ORDER BY notebook.nid LIMIT ?`,
  ).all(listed);
  return {
    notebooks: Number(counts?.["notebooks"] ?? 0),
    inTrash: Number(counts?.["trash"] ?? 0),
    problems: [
      ...unreadable.map((row) => `the cells of notebook ${row["id"]} cannot be read`),
      ...lacking.map((row) => `notebook ${row["id"]} lacks ${row["cells"]} of its cells`),
    ],
  };
}

export function createNotebookArchive(read: WithConnection, write: WithConnection): NotebookArchive {
  return {
    listNotebookIds: () =>
      read(({ sql }) =>
        sql("SELECT id FROM notebooks ORDER BY nid")
          .all()
          .map((row) => String(row["id"])),
      ),
    readWhole: (notebookId) => read((connection) => selectWhole(connection, notebookId)),
    readLatest: (notebookId) => read((connection) => selectLatest(connection, notebookId)),
    addWhole: (whole) => write((connection) => addWhole(connection, whole)),
    inspectNotebooks: () => read(inspectNotebooks),
  };
}

function selectWhole(connection: Connection, notebookId: string): WholeNotebook | undefined {
  const { sql } = connection;
  const row = sql("SELECT * FROM notebooks WHERE id = ?").get(notebookId);
  if (!row) return undefined;
  const nid = Number(row["nid"]);
  const notebook = decodeRecord(row);
  const newest = new Map(notebook.cells.map(({ id, version }) => [id, version]));
  const versions = sql("SELECT * FROM notebook_cells WHERE nid = ? ORDER BY cell_id, version")
    .all(nid)
    .map(decodeCell)
    // Another process may have changed a cell after the notebook's row was read.
    .filter(({ cellId, version }) => version <= (newest.get(cellId) ?? version));
  return { notebook, versions, runs: selectRuns(connection, nid, "latest and evidence") };
}

function selectLatest(connection: Connection, notebookId: string): ArchivedNotebook | undefined {
  const row = connection.sql("SELECT * FROM notebooks WHERE id = ?").get(notebookId);
  if (!row) return undefined;
  const { cells } = readCells(connection, row);
  return {
    ...decodeRecord(row),
    cells: [...cells],
    runs: selectRuns(connection, Number(row["nid"]), "latest"),
  };
}

function selectRuns({ sql }: Connection, nid: number, which: "latest" | "latest and evidence"): RunRecord[] {
  return sql(
    `SELECT * FROM notebook_runs WHERE nid = ? AND ended_at IS NOT NULL AND (is_evidence = ? OR rid IN
       (SELECT max(rid) FROM notebook_runs WHERE nid = ? AND ended_at IS NOT NULL GROUP BY cell_id))
     ORDER BY cell_id, rid`,
  )
    .all(nid, which === "latest" ? null : 1, nid)
    .map(decodeRunRecord);
}

const insertRuns = bulkInsert("notebook_runs", runColumns);

function addWhole(connection: Connection, whole: WholeNotebook): NotebookOutcome {
  const { notebook, runs } = whole;
  const there = selectWhole(connection, notebook.id);
  if (there) return holdsAll(there, whole) ? "kept" : "refused";
  const nid = insertNotebook(connection, wholeColumns(whole));
  insertVersions(connection, versionsOfWhole(nid, whole));
  insertRuns(
    connection,
    runs.map((run) => ({ rid: nextSeq(connection), nid, run })),
  );
  return "added";
}
