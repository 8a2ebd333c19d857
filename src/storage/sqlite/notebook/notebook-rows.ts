import { queuedAt } from "../../../domain/notebook/cell-status.ts";
import type { CellRun, StoredNotebook } from "../../../ports/notebook/notebook-store.ts";
import {
  decodeCells,
  decodeNotebook,
  decodeQueue,
  decodeRun,
  type NotebookColumns,
  versionColumns,
} from "../../rows/notebook-rows.ts";
import { damagedRow } from "../../rows/row.ts";
import { parseColumn, type Row } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";
import { nextSeq } from "../connection/sequence.ts";
import { bulkInsert, insertRow } from "../connection/statements.ts";

/**
 * Reads a notebook with its cells, their latest runs and its queued cells. Takes three statements, regardless of the
 * notebook's size.
 */
export function readWhole(connection: Connection, row: Row, now: number): StoredNotebook {
  const nid = Number(row["nid"]);
  return {
    ...decodeNotebook(row),
    ...readCells(connection, row),
    createdAt: Number(row["created_at"]),
    updatedAt: Number(row["updated_at"]),
    runs: readRuns(connection, nid, now),
    queued: queuedAt(
      connection.sql("SELECT * FROM notebook_queues WHERE nid = ?").all(nid).map(decodeQueue),
      now,
    ),
  };
}

export function readCells({ sql }: Connection, row: Row): Pick<StoredNotebook, "cells" | "changedAt"> {
  const order = parseColumn<[string, number][]>(row["cells"]);
  const rows = sql(
    `SELECT cell.* FROM json_each(?) AS listed JOIN notebook_cells AS cell
       ON cell.nid = ? AND cell.cell_id = listed.value ->> 0 AND cell.version = listed.value ->> 1
     ORDER BY listed.key`,
  ).all(JSON.stringify(order), Number(row["nid"]));
  if (rows.length !== order.length) throw damagedRow(new Error("a notebook cell is missing"));
  return decodeCells(rows);
}

/** Inserts a notebook and returns the number of its row. */
export function insertNotebook(connection: Connection, columns: NotebookColumns): number {
  const nid = nextSeq(connection);
  insertRow(connection, "notebooks", { nid, ...columns });
  return nid;
}

export const insertVersions = bulkInsert("notebook_cells", versionColumns);

function readRuns({ sql }: Connection, nid: number, now: number): Map<string, CellRun> {
  const rows = sql(
    `SELECT * FROM notebook_runs WHERE rid IN (SELECT max(rid) FROM notebook_runs WHERE nid = ? GROUP BY cell_id)`,
  ).all(nid);
  return new Map(rows.map((row) => [String(row["cell_id"]), decodeRun(row, now)]));
}
