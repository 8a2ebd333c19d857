import type { SqlValue } from "../../rows/row.ts";
import type { WriteConnection } from "./access.ts";

type Columns<Item> = { readonly [Column in string]: (item: Item) => SqlValue };

/** What PostgreSQL calls a column's type: numbers of ours are whole, everything else is text. */
const typeOf = (column: string): string => (isNumber.has(column) ? "bigint" : "text");

const isNumber = new Set([
  ...[
    "seq",
    "sid",
    "position",
    "number",
    "total",
    "next_needed",
    "revises_number",
    "from_number",
    "needs_more",
  ],
  ...[
    "critique_requested",
    "cid",
    "highest",
    "opened_seq",
    "thought_seq",
    "stage",
    "thought_count",
    "branch_count",
  ],
  ...["chain_length", "amendment_count", "wid", "bid", "doc", "base", "base_seq", "depth", "created_at_ms"],
  ...[
    "deleted_at_ms",
    "first_seq",
    "last_seq",
    "ts_ms",
    "origin",
    "parent",
    "previous",
    "current",
    "value",
    "rank",
  ],
  ...["lease_expires_at_ms", "deleted", "visible", "superseded", "replaces", "live_nodes", "inherited_nodes"],
  ...["live_edges", "from_bid", "into_bid", "resolved_at_ms", "ordinal", "nid", "version", "at_ms", "part"],
  ...[
    "mid",
    "rid",
    "started_at",
    "expires_at",
    "ended_at",
    "is_evidence",
    "net",
    "checkout",
    "erased",
    "reported",
  ],
]);

/** A column whose name is a number elsewhere can be text, and the other way round. */
type Options = { behind?: string; types?: Readonly<Record<string, string>> };

/** Inserts any number of rows by one statement: a list for each column. */
export function bulkInsert<Item>(
  table: string,
  columns: Columns<Item>,
  { behind = "", types = {} }: Options = {},
) {
  const names = Object.keys(columns);
  const values = Object.values(columns);
  const lists = names.map((name) => `?::${types[name] ?? typeOf(name)}[]`).join(", ");
  const text = `INSERT INTO ${table} (tenant, ${names.join(", ")}) SELECT @tenant, u.* FROM unnest(${lists}) u ${behind}`;
  return ({ sql }: WriteConnection, items: readonly Item[]) =>
    sql(text).all(...values.map((value) => items.map(value)));
}
