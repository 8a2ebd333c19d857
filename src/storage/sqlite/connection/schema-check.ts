import { createHash } from "node:crypto";
import { storageFailure } from "../../../ports/storage-failures.ts";
import { type Database, loadDriver } from "./driver.ts";
import type { Migration } from "./migrations/migration.ts";

type Item = { type: string; name: string; table: string; sql: string | null };

/** Matches tables that FTS5 creates itself, with SQL that depends on the version of SQLite. */
const shadowSuffix = /_(?:data|idx|content|docsize|config)$/;

/** Matches tables that `ANALYZE` creates if a user runs it. */
const statistics = /^sqlite_stat[1-4]$/;

/**
 * Refuses a store whose tables, triggers or views differ from those that its migrations create, because a foreign
 * trigger would run with every write. `applied` are the migrations that are recorded in the file.
 */
export function refuseChangedSchema(db: Database, applied: readonly Migration[]): void {
  const found = readSchema(db);
  const mark = db.prepare("PRAGMA application_id").get()?.["application_id"];
  if (applied.length === 0) {
    if (found.length > 0 || mark !== 0) throw storageFailure("store_foreign", {});
    return;
  }
  const newest = applied.at(-1);
  if (mark === 0 && newest?.leaves !== undefined && newest.leaves === digestOf(found)) return;
  const flaw = compare(found, makeSchema(applied));
  if (flaw) throw storageFailure("store_changed", flaw);
  if (mark !== 0) throw storageFailure("store_foreign", {});
}

/** Returns the schema that the migrations create. Takes milliseconds, so it only runs to find differences. */
export function makeSchema(applied: readonly Migration[]): Item[] {
  const db = new (loadDriver().DatabaseSync)(":memory:", {});
  try {
    db.exec("BEGIN");
    for (const migration of applied) migration.apply(db);
    return readSchema(db);
  } finally {
    db.close();
  }
}

function readSchema(db: Database): Item[] {
  const rows = db
    .prepare("SELECT type, name, tbl_name AS 'table', sql FROM sqlite_schema ORDER BY type, name")
    .all() as Item[];
  const virtual = new Set(
    rows.flatMap(({ type, name, sql }) =>
      type === "table" && sql !== null && /^CREATE VIRTUAL TABLE/i.test(sql) ? [name] : [],
    ),
  );
  const isShadow = (table: string) =>
    shadowSuffix.test(table) && virtual.has(table.replace(shadowSuffix, ""));
  return rows.filter(({ type, name, table, sql }) => {
    const isOurs = type === "table" ? name === table : type === "index" && sql === null;
    return !(isOurs && (isShadow(table) || statistics.test(table)));
  });
}

/** Computes the value of a migration's `leaves`. */
export const digestOf = (items: readonly Item[]): string =>
  createHash("sha256")
    .update(JSON.stringify(items.map(({ type, name, table, sql }) => [type, name, table, sql])))
    .digest("hex");

function compare(found: readonly Item[], expected: readonly Item[]) {
  const keyOf = ({ type, name }: Item) => `${type} ${name}`;
  const known = new Map(expected.map((item) => [keyOf(item), item]));
  for (const item of found) {
    const { type, name, table, sql } = item;
    const other = known.get(keyOf(item));
    if (!other) return { type, name, flaw: "added" as const };
    if (other.sql !== sql || other.table !== table) return { type, name, flaw: "altered" as const };
    known.delete(keyOf(item));
  }
  for (const { type, name } of known.values()) return { type, name, flaw: "removed" as const };
  return undefined;
}
