import type { SqlValue } from "../../connection/driver.ts";
import type { Connection } from "../../connection/open-database.ts";
import { rowInserter } from "../../ledger/ledger-writes.ts";

/** A table, what is written to each of its columns, and what follows the values. */
export function insert<Row>(
  table: string,
  columns: { readonly [Column in string]: (row: Row) => SqlValue },
  behind = "",
): (connection: Connection, rows: readonly Row[]) => void {
  const names = Object.keys(columns);
  const values = Object.values(columns);
  const insertRows = rowInserter(`INSERT INTO ${table} (${names.join(", ")})`, names.length, behind);
  return (connection, rows) =>
    insertRows(
      connection,
      rows.map((row) => values.map((value) => value(row))),
    );
}

export const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
