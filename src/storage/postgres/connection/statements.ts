import { createHash } from "node:crypto";
import type { Row, SqlValue } from "../../rows/row.ts";
import type { Found } from "./driver.ts";
import { unstorableText } from "./postgres-errors.ts";

/** What a parameter may be; a list becomes an array of PostgreSQL. */
export type Value = SqlValue | readonly SqlValue[];

export interface Statement {
  all(...values: Value[]): Promise<Row[]>;
  get(...values: Value[]): Promise<Row | undefined>;
  /** How many rows it changed. */
  run(...values: Value[]): Promise<number>;
}

export type Prepared = { text: string; name: string; takesTenant: boolean };

/** All our tables are in one schema, beside the other contents of the database. */
export const schemaName = "thoughtbox";

const known = new Map<string, Prepared>();

/**
 * `{thoughts}` is the tenant's thoughts, `@tenant` the tenant itself, `?` the next value and `?2` the second one. Tables
 * that are written to are named without braces. PostgreSQL pulls such a selection up, so it costs no more than the
 * condition would.
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

/** Runs statements for one tenant by whatever asks the server. */
export function statementsFor(
  tenant: string,
  ask: (prepared: Prepared, values: unknown[]) => Promise<Found>,
) {
  return (text: string): Statement => {
    const prepared = prepare(text);
    /** Refuses at once: what is sent behind it, such as the commit, must not get on its way. */
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

/** PostgreSQL stores no U+0000, and would fail the whole transaction over one. */
function refuseNul(values: readonly Value[]): void {
  for (const value of values)
    if (typeof value === "string") {
      if (value.includes("\0")) throw unstorableText();
    } else if (Array.isArray(value)) refuseNul(value);
}
