import { accessSync, chmodSync, constants, existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { makeDurableSync, renameSafelySync } from "../../../disk/naming.ts";
import { ThoughtboxError } from "../../../kernel/errors.ts";
import { storageFailure } from "../../../ports/storage-failures.ts";
import { createPrivately, prepareDataDir } from "./data-dir.ts";
import { type Database, loadDriver, type SqlValue, type Statement } from "./driver.ts";
import { formatOf, migrate, refuseForeign, refuseOlder, type Upgrade } from "./migrate.ts";
import { isBusy, isUnwritable, unstorableText } from "./sqlite-errors.ts";

export type Location = { kind: "memory" } | { kind: "directory"; path: string };

export type Connection = {
  db: Database;
  /** Compiles a statement once and keeps it. */
  sql(text: string): Statement;
  /** Set from the start, or once a write was refused for this reason. */
  readOnly: boolean;
  /** By which another process reads it; `undefined` for a store in RAM. */
  location: string | undefined;
  /** The path of the write-ahead log. `undefined` for a store in RAM. */
  walPath: string | undefined;
  /** Asked after a commit, before it is acknowledged. */
  isStillThere(): boolean;
};

export type OpenOptions = {
  /** Called when there was no store and one is made. Must not throw. */
  onNewStore?(): void;
  /** Opened for reading alone: nothing is made, changed or locked. */
  readOnly?: boolean;
  /** Notices for the operator of the store. */
  log?(line: string): void;
};

/**
 * If nothing can be written, or the disk is full, the store is opened for reading: what was recorded stays
 * reachable.
 * `synchronous=FULL` is set by hand because the driver's default loses commits at a power cut.
 */
export function openDatabase(
  location: Location,
  { onNewStore = () => {}, log = () => {}, readOnly = false }: OpenOptions = {},
): Connection {
  const { DatabaseSync } = loadDriver();
  if (location.kind === "memory")
    return ready(new DatabaseSync(":memory:", {}), undefined, { onNewStore, beforeRewrite: () => {} });
  const file = join(location.path, "thoughtbox.db");
  if (readOnly) return openForReading(file, undefined);
  try {
    prepareDataDir(location.path, log);
    createPrivately(file);
    const db = new DatabaseSync(file, { timeout: 0 });
    const beforeRewrite = (format: number) => copyBeforeUpgrade(db, file, format, log);
    const opened = ready(db, file, { onNewStore, beforeRewrite });
    return { ...opened, readOnly: !mayWrite(file) };
  } catch (thrown) {
    if (!existsSync(file) || !isUnwritable(thrown)) throw thrown;
    return openForReading(file, thrown);
  }

  function openForReading(path: string, whyNotWritable: unknown): Connection {
    try {
      const location = readingLocation(path);
      const db = new DatabaseSync(location, { readOnly: true, timeout: 0 });
      return closingOnFailure(db, () => {
        withLockRetry(() => refuseForeign(db));
        withLockRetry(() => refuseOlder(db));
        return { ...connection(db, true, undefined), location };
      });
    } catch (thrown) {
      throw thrown instanceof ThoughtboxError ? thrown : whyNotWritable;
    }
  }
}

/** Of the store in this directory, `undefined` if there is none. Changes nothing. */
export function readFormat(directory: string): number | undefined {
  const file = join(directory, "thoughtbox.db");
  if (!existsSync(file)) return undefined;
  const { DatabaseSync } = loadDriver();
  const db = new DatabaseSync(readingLocation(file), { readOnly: true, timeout: 1_000 });
  try {
    refuseForeign(db);
    return formatOf(db);
  } finally {
    db.close();
  }
}

/** Without a log there is no other process to be careful of, and no shared memory is needed. */
function readingLocation(file: string): string {
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  return `${pathToFileURL(file)}?${log && log.size > 0 ? "mode=ro" : "immutable=1"}`;
}

/** SQLite silently falls back to reading where it may not write, and finds out at the first write. */
function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function ready(db: Database, file: string | undefined, upgrade: Upgrade): Connection {
  return closingOnFailure(db, () => {
    withLockRetry(() => refuseForeign(db));
    withLockRetry(() => db.exec("PRAGMA journal_mode = WAL"));
    db.exec(`
      PRAGMA synchronous = FULL;
      PRAGMA foreign_keys = ON;
      PRAGMA trusted_schema = OFF;
      PRAGMA mmap_size = 268435456;
      PRAGMA temp_store = MEMORY;
    `);
    withLockRetry(() => migrate(db, upgrade));
    return connection(db, false, file);
  });
}

function closingOnFailure(db: Database, open: () => Connection): Connection {
  try {
    return open();
  } catch (thrown) {
    db.close();
    throw thrown;
  }
}

function connection(db: Database, readOnly: boolean, file: string | undefined): Connection {
  const statements = new Map<string, Statement>();
  return {
    db,
    readOnly,
    location: file,
    walPath: file && `${file}-wal`,
    isStillThere: file === undefined ? () => true : watchFile(file),
    sql(text) {
      const known = statements.get(text);
      if (known) return known;
      const prepared = refusingNul(db.prepare(text));
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

/** The driver cuts text at U+0000 without a word, so none may reach it: half a thought must not be stored. */
function refusingNul(statement: Statement): Statement {
  const checked = (values: SqlValue[]): SqlValue[] => {
    for (const value of values) if (typeof value === "string" && value.includes("\0")) throw unstorableText();
    return values;
  };
  return {
    run: (...values) => statement.run(...checked(values)),
    get: (...values) => statement.get(...checked(values)),
    all: (...values) => statement.all(...checked(values)),
  };
}

/**
 * Whether the path still leads to the file that was opened. If the database is deleted or replaced under a
 * running server, the server keeps writing to a file without a name, and those writes are lost when it ends.
 */
function watchFile(path: string): () => boolean {
  const opened = statSync(path, { bigint: true });
  return () => {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found?.ino === opened.ino && found.dev === opened.dev;
  };
}

/**
 * Keeps what the store was before its rows are rewritten, once, as `thoughtbox.db.v<format>.bak`. Several
 * processes may start at once: each makes a copy under its own name, and deletes it again if another process
 * has upgraded the store meanwhile.
 */
export function copyBeforeUpgrade(
  db: Database,
  file: string,
  version: number,
  log: (line: string) => void,
): void {
  const kept = `${file}.v${version}.bak`;
  if (statSync(kept, { throwIfNoEntry: false })) return;
  const unfinished = `${kept}.${process.pid}`;
  try {
    rmSync(unfinished, { force: true });
    db.prepare("VACUUM INTO ?").run(unfinished);
    if (versionOf(unfinished) !== version) return;
    chmodSync(unfinished, 0o600);
    makeDurableSync(unfinished);
    renameSafelySync(unfinished, kept);
    makeDurableSync(kept);
  } finally {
    rmSync(unfinished, { force: true });
  }
  log(`thoughtbox: the store was updated to a new format. The previous version is kept as ${kept}\n`);
}

function versionOf(path: string): number {
  const { DatabaseSync } = loadDriver();
  const copy = new DatabaseSync(`${pathToFileURL(path)}?immutable=1`, { readOnly: true });
  try {
    return Number(copy.prepare("PRAGMA user_version").get()?.["user_version"]);
  } finally {
    copy.close();
  }
}

/** While the store can only be read, this often it is looked at afresh: another process may have gone on. */
const staleAfterMs = 1_000;

/**
 * Opens at the first use. A store that could only be read is opened again before every write, so that a
 * directory that became writable, or a disk that has room again, needs no restart.
 */
export function createConnector(location: Location, options: OpenOptions) {
  let open: Connection | undefined;
  let openedAt = 0;
  let closed = false;

  function connect(readOnlyForMs: number): Connection {
    if (closed) throw storageFailure("store_closed", {});
    if (open?.readOnly && performance.now() - openedAt >= readOnlyForMs) release();
    if (open === undefined) {
      open = openDatabase(location, options);
      openedAt = performance.now();
    }
    return open;
  }

  function release(): void {
    open?.db.close();
    open = undefined;
  }

  return {
    toRead: () => connect(staleAfterMs),
    toWrite: () => connect(0),
    isOpen: () => open !== undefined,
    close(): void {
      closed = true;
      release();
    },
  };
}
