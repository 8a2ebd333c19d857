import type { SqlValue } from "../../rows/row.ts";
import type { Part, WriteConnection } from "./access.ts";

type Columns<Item> = { readonly [Column in string]: (item: Item) => SqlValue };

/** Returns PostgreSQL's type for a column. Numbers are integers, and everything else is text. */
export const typeOf = (column: string): string => (isNumber.has(column) ? "bigint" : "text");

const isNumber = new Set(
  `seq sid position number total next_needed revises_number from_number needs_more critique_requested cid
    highest opened_seq thought_seq stage thought_count branch_count chain_length amendment_count wid bid doc
    base base_seq depth created_at_ms deleted_at_ms first_seq last_seq ts_ms origin parent previous current
    value rank lease_expires_at_ms deleted visible superseded replaces live_nodes inherited_nodes live_edges
    from_bid into_bid resolved_at_ms ordinal nid version at_ms part mid rid started_at expires_at ended_at
    is_evidence net checkout erased reported`.split(/\s+/),
);

/** Inserts one row, given as values by column. Call inside a write. */
export function insertRow(
  { sql, send }: WriteConnection,
  table: string,
  row: Readonly<Record<string, SqlValue>>,
): void {
  const names = Object.keys(row).join(", ");
  const places = Object.keys(row).fill("?").join(", ");
  send(sql(`INSERT INTO ${table} (tenant, ${names}) VALUES (@tenant, ${places})`).run(...Object.values(row)));
}

/** `types` contains the types of columns for which `typeOf` returns a different type. */
type Options = { behind?: string; types?: Readonly<Record<string, string>> };

/**
 * Returns a function that inserts any number of rows with one statement, which takes one array per column.
 * Its `one` returns the insert of a single row as part of a larger statement.
 */
export function bulkInsert<Item>(
  table: string,
  columns: Columns<Item>,
  { behind = "", types = {} }: Options = {},
) {
  const names = Object.keys(columns);
  const values = Object.values(columns);
  const typed = names.map((name) => `?::${types[name] ?? typeOf(name)}`);
  const into = `INSERT INTO ${table} (tenant, ${names.join(", ")})`;
  const text = `${into} SELECT @tenant, u.* FROM unnest(${typed.map((type) => `${type}[]`).join(", ")}) u ${behind}`;
  const textOfOne = `${into} VALUES (@tenant, ${typed.join(", ")}) ${behind}`;
  const insert = ({ sql }: WriteConnection, items: readonly Item[]) =>
    sql(text).all(...values.map((value) => items.map(value)));
  const one = (item: Item): Part => ({ text: textOfOne, values: values.map((value) => value(item)) });
  return Object.assign(insert, { one });
}
