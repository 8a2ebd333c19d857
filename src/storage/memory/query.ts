import type { Request } from "../../domain/memory/steps/commit-calls.ts";
import type { Sequence, VersionRow, WriteKinds } from "../../domain/memory/steps/rows.ts";
import type { Row, SqlValue } from "../rows/row.ts";

/** A parameter for a statement. Lists are for `TEXTS` and `NUMBERS`. */
export type Value = SqlValue | readonly SqlValue[];

/**
 * What a query can request from its database.
 *
 * Statements are written once, in SQL that both databases understand. Each database replaces a few words with its own:
 *
 * - `{graph_versions} v` is the store's part of a table. Every table needs an alias.
 * - `x IN TEXTS(?)` and `x IN NUMBERS(?)` search a list. `TEXTS(?) t` is the list as a table with the `value` column.
 * - `LIST(?, bid number, id text) l` is a JSON list of lists as a table, with the position of each row as `nth`.
 * - `@published` is the last number that readers see, and `@last` is the last one assigned.
 * - `CROSS JOIN … ON` keeps SQLite from changing the order of tables, and `INDEXED BY` names its index.
 * - `FIELD(j.body, 'id')` is a field in a JSON column, `TAGS(i.body) t` is its `tags` list, and `LARGER(a, b)` is the
 *   larger number.
 * - `:name` is a statement that each database writes itself (`OwnStatements`).
 *
 * `send` is a write whose result is not needed, so it is sent with the commit. `reach` moves the counter up
 * to a number, `keeps` reserves a number and all higher ones for a large merge, and `tell` lets statements in
 * this transaction see the last number. `wrote` lets the database index what was written. The other kinds are
 * requests of a commit.
 */
export type Ask =
  | { text: string; values: readonly Value[]; want: "all" | "get" | "run" | "send" }
  | { insert: Insert<never>; rows: readonly unknown[] }
  | { together: readonly Query<unknown>[] }
  | { once: string; find: () => Query<unknown> }
  | { sequence: "read" | "tell" }
  | { reach: number }
  | { keeps: number | undefined }
  | Request
  | Wrote;

/** The requests of a commit that a query can answer: all except savepoints. */
export type Requested = Exclude<Request, { savepoint: unknown }>;

/** Statements that the databases cannot share. */
export type OwnStatements = {
  /**
   * Takes `LIST(?1, bid, after, up_to)`, the document and the limit. Returns the newest entries in all segments, newest
   * first.
   */
  entriesInSegments: string;
  /** Works like `entriesInSegments`, but omits the text. */
  marksInSegments: string;
  /**
   * Takes `LIST(?1, at, doc, bid, up_to)`, the facets and the limit. Defines `found (at, seq)` for `shownCards`, with
   * at most the limit per facet and branch.
   */
  cardsByFacet: string;
  /** Takes three parameters: a JSON object with the versions of each facet, the document, and the branch. */
  insertFacets: string;
  deleteFacets: string;
};

/** How to write rows of a table with few statements. */
export type Insert<Item> = {
  table: string;
  columns: { readonly [Column in string]: (item: Item) => SqlValue };
  /**
   * `of` identifies a row, and `set` changes it if it exists. If `set` is absent, an existing row is left
   * unchanged.
   */
  key?: { of: readonly string[]; set?: string };
  /** Text columns. In other tables, columns with these names contain numbers. */
  texts?: readonly string[];
};

/** What a query has written, for the word index. */
export type Wrote =
  | { wrote: "entries"; rows: readonly WriteKinds["entry"][] }
  | { wrote: "versions"; rows: readonly VersionRow[] }
  | { wrote: "hidden"; seqs: readonly number[] }
  | { wrote: "settled"; rows: readonly WriteKinds["settled"][] };

/**
 * Asks for rows and computes a result from them. SQLite runs queries synchronously. PostgreSQL runs them
 * asynchronously, so that others can run in between.
 */
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

/** Runs queries that do not need each other's results. Over a socket, sends their statements in one batch. */
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

/** Runs a lookup once for all reads in the same snapshot. The result is shared, so it must not be changed. */
export function* once<Found>(name: string, find: () => Query<Found>): Query<Found> {
  return (yield { once: name, find }) as Found;
}

/** Wraps a result that needs no database. */
// biome-ignore lint/correctness/useYield: it needs no request
export function* just<Result>(result: Result): Query<Result> {
  return result;
}

/** Runs a statement and returns how many rows it changed. */
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
