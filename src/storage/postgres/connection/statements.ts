import { createHash } from "node:crypto";
import type { Row, SqlValue } from "../../rows/row.ts";
import type { Found } from "./driver.ts";
import { unstorableText } from "./postgres-errors.ts";

/** The value of a parameter. A list becomes a PostgreSQL array. */
export type Value = SqlValue | readonly SqlValue[];

export interface Statement {
  all(...values: Value[]): Promise<Row[]>;
  get(...values: Value[]): Promise<Row | undefined>;
  /** Returns how many rows were changed. */
  run(...values: Value[]): Promise<number>;
}

export type Prepared = { text: string; name: string; takesTenant: boolean };

/** All tables are in one schema, separate from the rest of the database. */
export const schemaName = "thoughtbox";

const known = new Map<string, Prepared>();

/**
 * Translates a statement for PostgreSQL. `{thoughts}` is the tenant's thoughts, `@tenant` the tenant, `?` the
 * next value and `?2` the second value. Statements name a table that they write to without braces. A name in
 * braces becomes a subquery, which PostgreSQL inlines.
 */
export function prepare(statement: string): Prepared {
  const found = known.get(statement);
  if (found) return found;
  const takesTenant = /@tenant|\{\w+\}/.test(statement);
  const first = takesTenant ? 2 : 1;
  let next = first;
  const text = statement
    .replace(/\{(\w+)\}/g, (_, table) => `(SELECT * FROM ${schemaName}.${table} WHERE tenant = $1)`)
    .replace(/\b(INSERT INTO|DELETE FROM|UPDATE) (?!SET\b)(\w+)/g, `$1 ${schemaName}.$2`)
    .replaceAll("@tenant", "$1")
    .replace(/\?(\d*)/g, (_, place) => `$${place === "" ? next++ : Number(place) + first - 1}`);
  const name = createHash("sha256").update(text).digest("base64url").slice(0, 22);
  const prepared = { text, name, takesTenant };
  known.set(statement, prepared);
  return prepared;
}

/** Returns a function that creates statements for one tenant. `ask` sends them. */
export function statementsFor(
  tenant: string,
  ask: (prepared: Prepared, values: unknown[]) => Promise<Found>,
) {
  return (text: string): Statement => {
    const prepared = prepare(text);
    /** Throws synchronously for a bad value, so that nothing after it, such as the commit, is sent. */
    const send = (values: readonly Value[]): Promise<Found> => {
      refuseNul(values);
      return ask(prepared, prepared.takesTenant ? [tenant, ...values] : [...values]);
    };
    return {
      all: (...values) => send(values).then(({ rows }) => rows),
      get: (...values) => send(values).then(({ rows }) => rows[0]),
      run: (...values) => send(values).then(({ rowCount }) => rowCount ?? 0),
    };
  };
}

/** Throws if a value contains U+0000, which PostgreSQL cannot store. The whole transaction would fail because of it. */
function refuseNul(values: readonly Value[]): void {
  for (const value of values)
    if (typeof value === "string") {
      if (value.includes("\0")) throw unstorableText();
    } else if (Array.isArray(value)) refuseNul(value);
}

const tables = /(?<!DELETE )\b(FROM|JOIN) ((?:memory|graph|task|workspace)_\w+)(?=(\s+\w+)?)/g;
const keywords = new Set("WHERE ON ORDER LIMIT GROUP JOIN LEFT CROSS UNION SET AND".split(" "));

/**
 * Limits SQL that all stores share to one tenant. Replaces each table name with the tenant's part of the
 * table, and adds the name as an alias if there is none.
 */
export const ofTenant = (text: string): string =>
  requireTenant(
    text
      .replace(tables, (_, word, table, next = "") => {
        const isNamed = next !== "" && !keywords.has(next.trim());
        return `${word} {${table}}${isNamed ? "" : ` ${table}`}`;
      })
      .replace(/^DELETE FROM (\w+) WHERE /, "DELETE FROM $1 WHERE tenant = @tenant AND "),
  );

const literal = /'(?:[^']|'')*'/g;
const writes = /\b(?:INSERT INTO|DELETE FROM|(?<!FOR )UPDATE)\b/;
const insertsForTenant = /^INSERT INTO \w+ \(tenant, [^)]*\)\s+(?:SELECT |VALUES \()@tenant, /;
const changesOfTenant =
  /^(?:DELETE FROM \w+|UPDATE \w+ SET (?:(?!\bWHERE\b)[\s\S])+) WHERE tenant = @tenant AND (?![\s\S]*\bOR\b)/;
const wholeTable = /(?<!DELETE )\b(?:FROM|JOIN) (?:memory|graph|task|workspace)_\w+/;

/** Fails if a statement could reach the rows of another tenant. Returns any other statement unchanged. */
export function requireTenant(text: string): string {
  const read = text.replace(literal, "''");
  // Removes everything in parentheses, so that a subquery's condition is not mistaken for the statement's.
  let outer = read;
  for (let inner = ""; inner !== outer; ) [inner, outer] = [outer, outer.replace(/\([^()]+\)/g, "()")];
  const isOfTenant = read.startsWith("INSERT INTO")
    ? insertsForTenant.test(read)
    : changesOfTenant.test(outer) || !writes.test(read);
  if (!isOfTenant || wholeTable.test(read))
    throw new Error(`the statement is not limited to one tenant: ${text}`);
  return text;
}
