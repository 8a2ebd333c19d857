import type { Database, Row, SqlValue, Statement } from "./driver.ts";
import type { Connection } from "./open-database.ts";
import { unstorableText } from "./sqlite-errors.ts";

/** Compiles each statement once. */
export function createStatements(db: Database): Connection["sql"] {
  const statements = new Map<string, Statement>();
  return (text) => {
    const known = statements.get(text);
    if (known) return known;
    const prepared = refusingNul(db.prepare(keepingPlan(text)));
    statements.set(text, prepared);
    return prepared;
  };
}

/**
 * Adds 0 to each LIMIT parameter. If a LIMIT is just a parameter, SQLite replans the statement whenever a
 * value is bound.
 */
const keepingPlan = (text: string): string => text.replace(/\bLIMIT (\?\d*)/g, "LIMIT $1 + 0");

/**
 * Makes the statement refuse text with U+0000. The driver would silently truncate the text there and store
 * half a thought.
 */
function refusingNul(statement: Statement): Statement {
  const checked = (values: SqlValue[]): SqlValue[] => {
    for (const value of values) if (typeof value === "string" && value.includes("\0")) throw unstorableText();
    return values;
  };
  const toRow = nameColumns(statement);
  return {
    run: (...values) => statement.run(...checked(values)),
    get(...values) {
      const found = statement.get(...checked(values));
      return found && toRow(found);
    },
    all: (...values) => statement.all(...checked(values)).map(toRow),
  };
}

/**
 * Makes the statement return arrays and returns a function that names their values. The driver would create the name of
 * each column again for every row, which takes as long as reading the row.
 */
function nameColumns(statement: Statement): (found: Row | readonly SqlValue[]) => Row {
  if (!statement.setReturnArrays || !statement.columns) return (row) => row as Row;
  statement.setReturnArrays(true);
  let names: string[] = [];
  return (found) => {
    const values = found as readonly SqlValue[];
    // A migration may add a column to a table while this statement is in use.
    if (names.length !== values.length) names = statement.columns?.().map(({ name }) => name) ?? [];
    const row: Row = {};
    for (let at = 0; at < values.length; at += 1) row[names[at] as string] = values[at] as SqlValue;
    return row;
  };
}

/** Inserts one row, given as values by column. */
export function insertRow({ sql }: Connection, table: string, row: Readonly<Record<string, SqlValue>>): void {
  const places = Object.keys(row).fill("?").join(", ");
  sql(`INSERT INTO ${table} (${Object.keys(row).join(", ")}) VALUES (${places})`).run(...Object.values(row));
}

type Columns<Item> = { readonly [Column in string]: (item: Item) => SqlValue };

/** Inserts a row for each item. */
export function bulkInsert<Item>(table: string, columns: Columns<Item>, behind = "") {
  const [names, values] = [Object.keys(columns), Object.values(columns)];
  const insertRows = rowInserter(`INSERT INTO ${table} (${names.join(", ")})`, names.length, behind);
  return (connection: Connection, items: readonly Item[]): void =>
    insertRows(
      connection,
      items.map((item) => values.map((value) => value(item))),
    );
}

/**
 * The numbers of rows that one statement can insert: only a few, so that every statement stays compiled. The
 * largest serves 64 callers with one statement.
 */
const sizes = [64, 16, 4, 2, 1] as const;

/** Inserts any number of rows with few statements. `into` goes before VALUES, and `behind` goes after it. */
export function rowInserter(into: string, columns: number, behind = "") {
  const row = `(${Array.from({ length: columns }, () => "?").join(", ")})`;
  const texts = sizes.map((size) => ({
    size,
    text: `${into} VALUES ${Array.from({ length: size }, () => row).join(", ")} ${behind}`,
  }));
  const single = texts.at(-1)?.text ?? "";
  return ({ sql }: Connection, rows: readonly (readonly SqlValue[])[]): void => {
    const [only] = rows;
    // Most batches have one row, and flattening its values would double the cost.
    if (only && rows.length === 1) {
      sql(single).run(...only);
      return;
    }
    let from = 0;
    for (const { size, text } of texts)
      for (; rows.length - from >= size; from += size) {
        const values: SqlValue[] = [];
        for (let at = from; at < from + size; at += 1) for (const value of rows[at] ?? []) values.push(value);
        sql(text).run(...values);
      }
  };
}
