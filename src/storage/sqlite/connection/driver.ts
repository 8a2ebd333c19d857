import { createRequire } from "node:module";
import { storageFailure } from "../../../ports/storage-failures.ts";
import type { Row, SqlValue } from "../../rows/row.ts";

export { parseColumn, type Row, type SqlValue } from "../../rows/row.ts";

/**
 * The part of the driver that this folder uses. `@photostructure/sqlite` and `node:sqlite` both provide it.
 */
export interface Statement {
  run(...parameters: SqlValue[]): { changes: number | bigint };
  get(...parameters: SqlValue[]): Row | undefined;
  all(...parameters: SqlValue[]): Row[];
  /** Earlier versions of `node:sqlite` lack this method and the next one, and return rows only as objects. */
  setReturnArrays?(returnsArrays: true): void;
  columns?(): { name: string }[];
}
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}
export type DatabaseOptions = { readOnly?: boolean; timeout?: number };

type Driver = { DatabaseSync: new (location: string, options: DatabaseOptions) => Database };

/** Loads the driver on first use. The bundle excludes the package, because it contains native binaries. */
export function loadDriver(): Driver {
  const require = createRequire(import.meta.url);
  try {
    return require("@photostructure/sqlite");
  } catch (cause) {
    const builtin = loadBuiltinDriver();
    if (builtin) return builtin;
    throw storageFailure("driver_missing", { engine: "SQLite" }, cause);
  }
}

/**
 * Loads the same API from newer Node.js versions, which have it built in. Mutes their warning that it is
 * experimental.
 */
function loadBuiltinDriver(): Driver | undefined {
  const emitWarning = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule?.("node:sqlite" as never) as Driver | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Returns the path of the package that `loadDriver` chooses, or `undefined` for the built-in module. */
export function findDriver(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve("@photostructure/sqlite");
  } catch {
    return undefined;
  }
}

/** Returns the driver's name, which `doctor` shows. */
export const driverName = (): string => (findDriver() ? "@photostructure/sqlite" : "node:sqlite");
