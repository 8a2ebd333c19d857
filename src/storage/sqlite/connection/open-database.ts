import { accessSync, chmodSync, constants, existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { makeDurableSync, renameSafelySync } from "../../../disk/naming.ts";
import { ThoughtboxError } from "../../../kernel/errors.ts";
import { storageFailure } from "../../../ports/storage-failures.ts";
import { createPrivately, prepareDataDir } from "./data-dir.ts";
import { type Database, loadDriver, type Statement } from "./driver.ts";
import { formatOf, migrate, refuseForeign, refuseOlder, type Upgrade } from "./migrate.ts";
import { isBusy, isUnwritable } from "./sqlite-errors.ts";
import { createStatements } from "./statements.ts";

export type Location = { kind: "memory" } | { kind: "directory"; path: string };

export type Connection = {
  db: Database;
  /** Compiles a statement once and caches it. */
  sql(text: string): Statement;
  /** True if the store was opened for reading, or if a write failed because the file is not writable. */
  readOnly: boolean;
  /** The path at which another process can open the store. `undefined` for a store in RAM. */
  location: string | undefined;
  /** The path of the write-ahead log. `undefined` for a store in RAM. */
  walPath: string | undefined;
  /** True if the path still refers to the open file. Checked after each commit, before it is acknowledged. */
  isStillThere(): boolean;
};

export type OpenOptions = {
  /** Called if there was no store and a new one is created. Must not throw. */
  onNewStore?(): void;
  /** Opens for reading only: nothing is created, changed or locked. */
  readOnly?: boolean;
  /** Reports notices to the operator of the store. */
  log?(line: string): void;
};

/**
 * Opens the store. If it is not writable or the disk is full, opens it for reading, so recorded data stays
 * accessible. Sets `synchronous=FULL` explicitly, because the driver's default loses commits in a power cut.
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

/** Returns the format of the store in this directory, or `undefined` if there is none. Changes nothing. */
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

/** Returns a URI for reading. Without a log, no one else uses the store, and no shared memory is needed. */
function readingLocation(file: string): string {
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  return `${pathToFileURL(file)}?${log && log.size > 0 ? "mode=ro" : "immutable=1"}`;
}

/** True if the file is writable. If not, SQLite opens it for reading and fails only at the first write. */
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
  return {
    db,
    readOnly,
    location: file,
    walPath: file && `${file}-wal`,
    isStillThere: file === undefined ? () => true : watchFile(file),
    sql: createStatements(db),
  };
}

/** Retries a locked step. Only opening may block: several processes may open a new store at once. */
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

/**
 * Returns a check that the path still refers to the opened file. If the database is deleted or replaced while a server
 * is running, the server keeps writing to the unlinked file, and those writes are lost when it exits.
 */
function watchFile(path: string): () => boolean {
  const opened = statSync(path, { bigint: true });
  return () => {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found?.ino === opened.ino && found.dev === opened.dev;
  };
}

/**
 * Copies the store once, before its rows are rewritten, to `thoughtbox.db.v<format>.bak`. Several processes
 * may start at once. Each process makes a copy under its own name, and deletes it if another process has
 * upgraded the store in the meantime.
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

/**
 * The age at which a store that is open only for reading is opened again, because another process may have
 * written to it.
 */
const staleAfterMs = 1_000;

/**
 * Opens the store on first use. Reopens a read-only store before every write, so no restart is needed once
 * its directory is writable or the disk has room again.
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
