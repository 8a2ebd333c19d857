import type { Sequence, VersionRow, WriteKinds } from "../../domain/memory/steps/rows.ts";
import type { Row, SqlValue } from "../rows/row.ts";

/** What a statement may be given. A list is for `TEXTS` and `NUMBERS`. */
export type Value = SqlValue | readonly SqlValue[];

/**
 * What a query asks its database for.
 *
 * Statements are written once, in SQL that both databases understand, with a few words that each spells in its way:
 *
 * - `{graph_versions} v` is the store's part of a table. Every table has a short name.
 * - `x IN TEXTS(?)` and `x IN NUMBERS(?)` look in a list. `TEXTS(?) t` is the list as a table with the column `value`.
 * - `LIST(?, bid number, id text) l` is a JSON list of lists as a table, with the position of each row as `nth`.
 * - `@published` is the last number that readers see, `@last` the last one given out.
 * - `CROSS JOIN … ON` keeps SQLite from changing the order of tables, and `INDEXED BY` names its index.
 * - `FIELD(j.body, 'id')` is a field of a JSON column, `TAGS(i.body) t` its list `tags`, `LARGER(a, b)` the larger number.
 * - `:name` is a statement that each database words in its way (`OwnStatements`).
 *
 * `send` is a write whose result is not needed: it travels with the commit. `reach` counts on to a number, `keeps` reserves
 * those from a number on for a large merge, and `tell` lets statements of this transaction see the last one. `wrote` lets
 * the database index what was written.
 */
export type Ask =
  | { text: string; values: readonly Value[]; want: "all" | "get" | "run" | "send" }
  | { insert: Insert<never>; rows: readonly unknown[] }
  | { together: readonly Query<unknown>[] }
  | { once: string; find: () => Query<unknown> }
  | { sequence: "read" | "tell" }
  | { reach: number }
  | { keeps: number | undefined }
  | { savepoint: "set" | "undo" | "release" }
  | Wrote;

/** Statements that the databases have no common words for. */
export type OwnStatements = {
  /** `LIST(?1, bid, after, up_to)`, document, limit: the newest entries of all segments, newest first. */
  entriesInSegments: string;
  /** The same without texts. */
  marksInSegments: string;
  /** `LIST(?1, at, doc, bid, up_to)`, facets, limit: `found (at, seq)` for `shownCards`, so many of each facet and branch. */
  cardsByFacet: string;
  /** JSON object of facets with their versions, document, branch. */
  insertFacets: string;
  deleteFacets: string;
};

/** Rows of a table, written with few statements. */
export type Insert<Item> = {
  table: string;
  columns: { readonly [Column in string]: (item: Item) => SqlValue };
  /** What identifies a row, and what changes if it exists. Without `set` it stays unchanged. */
  key?: { of: readonly string[]; set?: string };
  /** Columns of text that have the name of a number elsewhere. */
  texts?: readonly string[];
};

/** What the index of words has to know. */
export type Wrote =
  | { wrote: "entries"; rows: readonly WriteKinds["entry"][] }
  | { wrote: "versions"; rows: readonly VersionRow[] }
  | { wrote: "hidden"; seqs: readonly number[] }
  | { wrote: "settled"; rows: readonly WriteKinds["settled"][] };

/** Asks for rows and makes something of them. SQLite runs it at once, PostgreSQL while others have their turn. */
export type Query<Result> = Generator<Ask, Result, unknown>;

export function* all(text: string, ...values: readonly Value[]): Query<Row[]> {
  return (yield { text, values, want: "all" }) as Row[];
}

export function* get(text: string, ...values: readonly Value[]): Query<Row | undefined> {
  return (yield { text, values, want: "get" }) as Row | undefined;
}

type Results<Queries extends readonly unknown[]> = {
  [At in keyof Queries]: Queries[At] extends Query<infer Result> ? Result : never;
};

/** Queries that do not need each other's results. Over a socket, their statements travel together. */
export function* together<const Queries extends readonly Query<unknown>[]>(
  ...queries: Queries
): Query<Results<Queries>> {
  return (yield { together: queries }) as Results<Queries>;
}

export function* each<Item, Result>(
  items: readonly Item[],
  query: (item: Item) => Query<Result>,
): Query<Result[]> {
  const [only] = items;
  if (items.length === 1) return [yield* query(only as Item)];
  return (yield { together: items.map(query) }) as Result[];
}

/** Looks it up once for all reads of a moment. The result is shared, so it must not be changed. */
export function* once<Found>(name: string, find: () => Query<Found>): Query<Found> {
  return (yield { once: name, find }) as Found;
}

/** For what needs no database. */
// biome-ignore lint/correctness/useYield: it asks for nothing
export function* just<Result>(result: Result): Query<Result> {
  return result;
}

/** How many rows it changed. */
export function* run(text: string, ...values: readonly Value[]): Query<number> {
  return (yield { text, values, want: "run" }) as number;
}

export function* send(text: string, ...values: readonly Value[]): Query<void> {
  yield { text, values, want: "send" };
}

export function* insertRows<Item>(insert: Insert<Item>, rows: readonly Item[]): Query<void> {
  if (rows.length > 0) yield { insert: insert as Insert<never>, rows };
}

export function* readSequence(): Query<Sequence> {
  return (yield { sequence: "read" }) as Sequence;
}

export function* tell(ask: Ask): Query<void> {
  yield ask;
}
