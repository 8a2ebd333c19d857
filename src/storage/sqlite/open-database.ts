import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { prepareDataDir } from "./data-dir.ts";
import { type Database, loadDriver, type Statement } from "./driver.ts";
import { migrate } from "./migrations.ts";
import { isBusy } from "./sqlite-errors.ts";

export type Location = { kind: "memory" } | { kind: "directory"; path: string };

export type Connection = {
  db: Database;
  /** Compiles a statement once and keeps it. */
  sql(text: string): Statement;
  readOnly: boolean;
  /** Where the write-ahead log lies; `undefined` for a store in RAM. */
  walPath: string | undefined;
};

/**
 * A directory that cannot be written is opened for reading: what was recorded stays reachable.
 * `synchronous=FULL` is set by hand because the driver's default loses commits at a power cut.
 */
export function openDatabase(location: Location): Connection {
  const { DatabaseSync } = loadDriver();
  if (location.kind === "memory") return ready(new DatabaseSync(":memory:", {}), undefined);
  const file = join(location.path, "thoughtbox.db");
  try {
    prepareDataDir(location.path);
    return ready(new DatabaseSync(file, { timeout: 0 }), `${file}-wal`);
  } catch (thrown) {
    if (!existsSync(file) || !isUnwritable(thrown)) throw thrown;
    return openForReading(file);
  }

  function openForReading(path: string): Connection {
    const mode = existsSync(`${path}-wal`) ? "mode=ro" : "immutable=1";
    const db = new DatabaseSync(`${pathToFileURL(path)}?${mode}`, { readOnly: true, timeout: 0 });
    return connection(db, true, undefined);
  }
}

function ready(db: Database, walPath: string | undefined): Connection {
  withLockRetry(() => db.exec("PRAGMA journal_mode = WAL"));
  db.exec(`
    PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA mmap_size = 268435456;
    PRAGMA temp_store = MEMORY;
  `);
  withLockRetry(() => migrate(db));
  return connection(db, false, walPath);
}

function connection(db: Database, readOnly: boolean, walPath: string | undefined): Connection {
  const statements = new Map<string, Statement>();
  return {
    db,
    readOnly,
    walPath,
    sql(text) {
      const known = statements.get(text);
      if (known) return known;
      const prepared = db.prepare(text);
      statements.set(text, prepared);
      return prepared;
    },
  };
}

/** Opening is the one moment that may wait in place: several processes start on an empty directory at once. */
function withLockRetry(step: () => void): void {
  const deadline = Date.now() + 5_000;
  for (;;) {
    try {
      step();
      return;
    } catch (thrown) {
      if (!isBusy(thrown) || Date.now() > deadline) throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1 + Math.random() * 4);
    }
  }
}

function isUnwritable(thrown: unknown): boolean {
  const { code, errcode } = thrown as { code?: string; errcode?: number };
  const primary = (errcode ?? 0) & 0xff;
  return primary === 8 || primary === 14 || code === "EROFS" || code === "EACCES";
}
