import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createWhenQuiet } from "../../../kernel/clock.ts";
import type { Engine, Run } from "../../../kernel/commit-queue.ts";
import { attempt, type Served, type ThoughtboxError } from "../../../kernel/errors.ts";
import { storageFailure } from "../../../ports/storage-failures.ts";
import { endMoment, retryWhileBusy } from "./access.ts";
import type { Database } from "./driver.ts";
import type { Connection } from "./open-database.ts";
import { isDamage, isReadOnly, toStorageError, unwritable } from "./sqlite-errors.ts";

const giveUpAfterMs = 15_000;
/** The longest wait for another process's lock once the store is closing: exit leaves no time for more. */
const giveUpAtCloseMs = 100;

/** Estimated pages that a commit adds to the log: `pagesOfCommit`, plus one per `writesOnPage` writes. */
const pagesOfCommit = 4;
const writesOnPage = 4;
/** If the log has at least this many pages, it is written back during the next pause. */
const enoughPages = 256;
const pause = { quietMs: 25, patienceMs: Number.POSITIVE_INFINITY };
/**
 * If the log has at least this many pages, it is written back right after an acknowledgement. At 1,000 pages, SQLite
 * itself would write the log back inside a commit.
 */
const mostPages = 800;

/**
 * How long a background process leaves the lock to others between two transactions. The others retry about
 * every millisecond, so this is enough.
 */
const restMs = 1;
/** A background process checkpoints at this many pages, so that no other process has to do it in a commit. */
const pagesWhenGivingWay = 400;

/** Writes the log back between calls instead of inside one. */
export function createCheckpoints(connect: () => Connection) {
  let pages = 0;
  let due: NodeJS.Immediate | undefined;
  const waiting = createWhenQuiet(writeBack, pause);

  function writeBack(): void {
    pages = 0;
    due = undefined;
    waiting.cancel();
    try {
      // A passive checkpoint waits for no one, and no reader or writer waits for it.
      connect().db.exec("PRAGMA wal_checkpoint(PASSIVE)");
    } catch {
      // The store has been closed, or the disk is full. The log is unchanged.
    }
  }

  return {
    /** Called after each commit, with the number of writes in it. */
    later(writes: number): void {
      pages += pagesOfCommit + writes / writesOnPage;
      if (pages >= mostPages) due ??= setImmediate(writeBack);
      else if (pages >= enoughPages) waiting.later();
    },
    stop(): void {
      clearImmediate(due);
      waiting.cancel();
    },
  };
}

/** Room for the 1,000 pages between two automatic checkpoints, plus a reserve. */
const targetBytes = 6 * 1024 * 1024;

/**
 * Extends the log once, which halves the cost of later commits: a commit that makes the log longer must also
 * write file metadata. Holds the write lock, so that nothing is appended at the same time. SQLite stops
 * reading at the first frame without a valid checksum, so it ignores the zeros after the end.
 */
function preGrowWal(db: Database, walPath: string): void {
  db.exec("BEGIN IMMEDIATE");
  try {
    const file = openSync(walPath, "r+");
    try {
      const { size } = fstatSync(file);
      if (size < targetBytes) grow(file, size);
    } finally {
      closeSync(file);
    }
  } finally {
    db.exec("ROLLBACK");
  }
}

/** Fills the log with zeros up to `targetBytes`. If that fails, frees the added blocks again. */
function grow(file: number, size: number): void {
  const missing = targetBytes - size;
  try {
    if (writeSync(file, Buffer.alloc(missing), 0, missing, size) < missing) throw new Error("no room");
    fdatasyncSync(file);
  } catch (thrown) {
    ftruncateSync(file, size);
    throw thrown;
  }
}

/**
 * Runs SQLite transactions on the main thread, because passing rows to another thread costs more than the
 * commit. Everything from BEGIN to COMMIT happens in one tick, because a read in between would find a
 * transaction open on the shared connection. Other work runs only between failed attempts. `onRollback` is
 * called after a rollback, and `onCommit` after a commit.
 */
export function createSqliteEngine(
  connect: () => Connection,
  { onRollback, onCommit }: { onRollback(): void; onCommit(): void },
) {
  let stopped: ThoughtboxError | undefined;
  let grown = false;
  let closeBy = Number.POSITIVE_INFINITY;
  let givesWay = false;
  const checkpoints = createCheckpoints(connect);

  const engine: Engine<Connection> = {
    async transact(take) {
      if (stopped) throw stopped;
      const connection = connect();
      if (connection.readOnly) throw unwritable();
      if (givesWay) await sleep(restMs);
      const deadline = performance.now() + giveUpAfterMs;
      return retryWhileBusy(
        () => {
          endMoment(connection);
          connection.db.exec("BEGIN IMMEDIATE");
          return settle(connection, take());
        },
        () => Math.min(deadline, closeBy),
      );
    },
    toError(thrown) {
      if (isDamage(thrown)) stopped ??= storageFailure("writes_stopped", {});
      return toStorageError(thrown);
    },
    isStopped: () => stopped !== undefined,
  };

  /** Commits all changes or none. If every change was refused, rolls back. */
  function settle(connection: Connection, runs: readonly Run<Connection>[]): Served<unknown>[] {
    const served: Served<unknown>[] = [];
    const isOnly = runs.length === 1 && runs[0]?.inputs.length === 1;
    try {
      // All work submitted here is synchronous. See `transact`.
      for (const { work, inputs } of runs)
        for (const one of work(connection, inputs, isOnly) as Served<unknown>[]) served.push(one);
      const isRefused = served.every(({ refused }) => refused);
      connection.db.exec(isRefused ? "ROLLBACK" : "COMMIT");
      if (isRefused) onRollback();
      else onCommit();
    } catch (thrown) {
      rollback(connection);
      onRollback();
      if (isReadOnly(thrown)) connection.readOnly = true;
      throw thrown;
    }
    if (!connection.isStillThere()) {
      stopped = storageFailure("store_file_lost", {});
      throw stopped;
    }
    checkpoints.later(served.length);
    if (!grown) growOnce(connection);
    return served;
  }

  /** Extends the log after the acknowledgement. If this fails, commits are merely slower. */
  function growOnce({ db, walPath }: Connection): void {
    grown = true;
    if (walPath === undefined) return;
    setImmediate(() => {
      try {
        preGrowWal(db, walPath);
      } catch {
        // The store is busy or closed, or the disk is full. The next process tries again.
      }
    });
  }

  return {
    ...engine,
    /** Makes all later work wait only briefly for a lock. */
    hurry(): void {
      closeBy = performance.now() + giveUpAtCloseMs;
    },
    /**
     * Leaves the lock to other processes between two transactions. From now on, a power cut may undo the last
     * commits.
     */
    giveWay(): void {
      givesWay = true;
      connect().db.exec(`PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${pagesWhenGivingWay}`);
    },
    stop: checkpoints.stop,
  };
}

/** Runs a change inside a transaction. If the function throws a ThoughtboxError, the change is refused. */
export type Change = (connection: Connection) => unknown;

/** Runs changes that may be refused after they have written rows. Rolls back a refused change. */
export function takingBack(
  connection: Connection,
  changes: readonly Change[],
  isOnly: boolean,
): Served<unknown>[] {
  if (isOnly) return deciding(connection, changes);
  const { sql } = connection;
  return changes.map((change) => {
    sql("SAVEPOINT one_change").run();
    const one = attempt(() => change(connection));
    if (one.refused) sql("ROLLBACK TO one_change").run();
    sql("RELEASE one_change").run();
    return one;
  });
}

/** Runs changes that are never refused after their first write, so they need no savepoint. */
export const deciding = (connection: Connection, changes: readonly Change[]): Served<unknown>[] =>
  changes.map((change) => attempt(() => change(connection)));

function rollback({ db }: Connection): void {
  try {
    db.exec("ROLLBACK");
  } catch {
    // SQLite has already rolled back, for example after a full disk.
  }
}
