import type { SqlValue } from "../../connection/driver.ts";
import type { Connection } from "../../connection/open-database.ts";
import { unstorableText } from "../../connection/sqlite-errors.ts";

/** A table, what is written to each of its columns, and what follows the values. */
export function insert<Row>(
  table: string,
  columns: { readonly [Column in string]: (row: Row) => SqlValue },
  conflict = "",
): (connection: Connection, rows: readonly Row[]) => void {
  const names = Object.keys(columns);
  const values = Object.values(columns);
  const into = `INSERT INTO ${table} (${names.join(", ")})`;
  const one = `${into} VALUES (${names.map(() => "?").join(", ")}) ${conflict}`;
  const many = `${into} SELECT ${names.map((_, n) => `value ->> ${n}`).join(", ")} FROM json_each(?) WHERE true ${conflict}`;
  return ({ sql }, rows) => {
    const [first] = rows;
    if (rows.length === 1 && first !== undefined) sql(one).run(...values.map((value) => value(first)));
    else sql(many).run(storableJson(rows.map((row) => values.map((value) => value(row)))));
  };
}

/** The driver would cut a text at U+0000, and does not see it in JSON. */
function storableJson(rows: readonly SqlValue[][]): string {
  for (const row of rows)
    for (const value of row) if (typeof value === "string" && value.includes("\0")) throw unstorableText();
  return JSON.stringify(rows);
}

export const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
