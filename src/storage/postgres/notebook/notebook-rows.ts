import { queuedAt } from "../../../domain/notebook/cell-status.ts";
import type { CellRun, StoredNotebook } from "../../../ports/notebook/notebook-store.ts";
import {
  decodeCells,
  decodeNotebook,
  decodeQueue,
  decodeRun,
  type NotebookColumns,
  type VersionRow,
  versionColumns,
} from "../../rows/notebook-rows.ts";
import { damagedRow, parseColumn, type Row } from "../../rows/row.ts";
import type { Connection, WriteConnection } from "../connection/access.ts";
import { bulkInsert, insertRow } from "../connection/insert.ts";
import { nextSeq } from "../connection/sequence.ts";

/**
 * Reads a notebook with its cells, their latest runs and its queued cells. Takes three statements, regardless of the
 * notebook's size.
 */
export async function readWhole(connection: Connection, row: Row, now: number): Promise<StoredNotebook> {
  const nid = Number(row["nid"]);
  const [listed, runs, queues] = await Promise.all([
    readCells(connection, row),
    readRuns(connection, nid, now),
    connection.sql("SELECT * FROM {notebook_queues} q WHERE nid = ?").all(nid),
  ]);
  return {
    ...decodeNotebook(row),
    ...listed,
    createdAt: Number(row["created_at"]),
    updatedAt: Number(row["updated_at"]),
    runs,
    queued: queuedAt(queues.map(decodeQueue), now),
  };
}

export async function readCells(
  { sql }: Connection,
  row: Row,
): Promise<Pick<StoredNotebook, "cells" | "changedAt">> {
  const order = parseColumn<[string, number][]>(row["cells"]);
  const rows =
    await sql(`SELECT cell.* FROM unnest(?::text[], ?::bigint[]) WITH ORDINALITY listed (id, version, nth)
    JOIN {notebook_cells} cell ON cell.nid = ? AND cell.cell_id = listed.id AND cell.version = listed.version
    ORDER BY listed.nth`).all(
      order.map(([id]) => id),
      order.map(([, version]) => version),
      row["nid"] ?? 0,
    );
  if (rows.length !== order.length) throw damagedRow(new Error("a notebook cell is missing"));
  return decodeCells(rows);
}

async function readRuns({ sql }: Connection, nid: number, now: number): Promise<Map<string, CellRun>> {
  const rows = await sql(
    "SELECT DISTINCT ON (cell_id) * FROM {notebook_runs} r WHERE nid = ? ORDER BY cell_id, rid DESC",
  ).all(nid);
  return new Map(rows.map((row) => [String(row["cell_id"]), decodeRun(row, now)]));
}

/** Inserts a notebook and returns the number of the new row. Call inside a write. */
export function insertNotebook(connection: WriteConnection, columns: NotebookColumns): number {
  const nid = nextSeq(connection);
  insertRow(connection, "notebooks", { nid, ...columns });
  return nid;
}

const insertRows = bulkInsert("notebook_cells", versionColumns, { types: { at: "bigint" } });

/** Inserts versions of cells. Call inside a write. */
export function insertVersions(connection: WriteConnection, rows: readonly VersionRow[]): void {
  if (rows.length > 0) connection.send(insertRows(connection, rows));
}
