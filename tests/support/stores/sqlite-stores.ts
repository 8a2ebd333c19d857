import { createRequire } from "node:module";
import { onTestFinished } from "vitest";
import type { Database, DatabaseOptions, Statement } from "../../../src/storage/sqlite/connection/driver.ts";
import { createSqliteStore } from "../../../src/storage/sqlite/sqlite-store.ts";
import { driverPath, openRaw } from "../disk/raw-database.ts";
import type { StoreKind } from "./stores.ts";

const framing = { includes: (statement: string) => /^(?:BEGIN|COMMIT|ROLLBACK)/.test(statement), perCall: 2 };

export const sqliteStores: readonly StoreKind[] = [
  {
    name: "memory",
    adapter: "sqlite",
    lasts: false,
    hasFiles: false,
    open: (_, clock) => createSqliteStore({ kind: "memory" }, clock),
    watchStatements,
    framing,
    versionsInReach,
  },
  {
    name: "fs",
    adapter: "sqlite",
    lasts: true,
    hasFiles: true,
    open: (path, clock) => createSqliteStore({ kind: "directory", path }, clock),
    watchStatements,
    framing,
    versionsInReach,
  },
];

type Driver = { DatabaseSync: new (location: string, options: DatabaseOptions) => Database };

/** Watches statements by replacing the loaded driver, because its own classes cannot be changed. */
function watchStatements(see: (sql: string) => void): void {
  const require = createRequire(import.meta.url);
  const real: Driver = require(driverPath);
  const loaded = require.cache[driverPath];
  if (!loaded) throw new Error("the driver is not where it is loaded from");
  loaded.exports = {
    ...real,
    DatabaseSync: function open(location: string, options: DatabaseOptions): Database {
      return watched(new real.DatabaseSync(location, options), see);
    },
  };
  onTestFinished(() => {
    loaded.exports = real;
  });
}

function watched(db: Database, see: (sql: string) => void): Database {
  return {
    exec(sql) {
      see(sql);
      db.exec(sql);
    },
    prepare: (sql) => watchedStatement(db.prepare(sql), () => see(sql)),
    close: () => db.close(),
  };
}

function watchedStatement(statement: Statement, see: () => void): Statement {
  return {
    run(...values) {
      see();
      return statement.run(...values);
    },
    get(...values) {
      see();
      return statement.get(...values);
    },
    all(...values) {
      see();
      return statement.all(...values);
    },
  };
}

async function versionsInReach(directory: string) {
  const db = openRaw(directory);
  const count = (table: string) => Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"]);
  const found = {
    versions: count("graph_versions WHERE visible = 1"),
    nodes: count("(SELECT DISTINCT doc, bid, seq FROM graph_facets)"),
  };
  db.close();
  return found;
}
