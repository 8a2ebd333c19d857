import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createWhenQuiet } from "../../../kernel/clock.ts";
import { attempt, type Engine, type Run, type Served } from "../../../kernel/commit-queue.ts";
import type { ThoughtboxError } from "../../../kernel/errors.ts";
import { storageFailure } from "../../../ports/storage-failures.ts";
import { endMoment, retryWhileBusy } from "./access.ts";
import type { Database } from "./driver.ts";
import type { Connection } from "./open-database.ts";
import { isDamage, isReadOnly, toStorageError, unwritable } from "./sqlite-errors.ts";

const giveUpAfterMs = 15_000;
/** At the end of the process there is no time to wait for another process's lock. */
const giveUpAtCloseMs = 100;

/** What a commit puts into the log, estimated: some pages, and one more for every few writes that share it. */
const pagesOfCommit = 4;
const writesOnPage = 4;
/** The length at which the log is written back after a pause, … */
const enoughPages = 256;
const pause = { quietMs: 25, patienceMs: Number.POSITIVE_INFINITY };
/** … and so long a one without a pause, right behind an acknowledgement: at 1,000 pages SQLite does it inside a commit. */
const mostPages = 800;

/** How long a process that gives way leaves the lock to others, at least: they look for it about every millisecond. */
const restMs = 1;
/** It writes the log back before a commit of another process has to. */
const pagesWhenGivingWay = 400;

/** Writes the log back between the calls rather than inside one of them. */
export function createCheckpoints(connect: () => Connection) {
  let pages = 0;
  let due: NodeJS.Immediate | undefined;
  const waiting = createWhenQuiet(writeBack, pause);

  function writeBack(): void {
    pages = 0;
    due = undefined;
    waiting.cancel();
    try {
      // Passive: it waits for no one, and no reader or writer waits for it.
      connect().db.exec("PRAGMA wal_checkpoint(PASSIVE)");
    } catch {
      // The store was closed meanwhile, or the disk is full. The log stays unchanged.
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

/** Room for the 1,000 pages between two automatic checkpoints, and some. */
const targetBytes = 6 * 1024 * 1024;

/**
 * A commit that makes the log longer must write file metadata too, which costs about as much again. Extending
 * the log once, under the write lock so that nothing is appended meanwhile, halves the cost of later commits.
 * SQLite stops reading at the first frame without a valid checksum, so zeros behind the end mean nothing to
 * it.
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

/** A nicety must not take the last free block of a disk: what cannot be had in full is given back. */
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
 * Transactions of SQLite, on the main thread: handing rows to another one costs more than the commit itself. From BEGIN
 * to COMMIT in one tick, because the connection is shared and a read that came in between would find a transaction open.
 * Only between failed tries others get a turn. `onRollback` is called when what a transaction did was taken back.
 */
export function createSqliteEngine(connect: () => Connection, onRollback: () => void) {
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

  /** All or nothing. A transaction in which everything was refused has nothing to commit. */
  function settle(connection: Connection, runs: readonly Run<Connection>[]): Served<unknown>[] {
    const served: Served<unknown>[] = [];
    const isOnly = runs.length === 1 && runs[0]?.inputs.length === 1;
    try {
      // Everything that is submitted here returns at once; see `transact`.
      for (const { work, inputs } of runs)
        for (const one of work(connection, inputs, isOnly) as Served<unknown>[]) served.push(one);
      connection.db.exec(served.every(({ refused }) => refused) ? "ROLLBACK" : "COMMIT");
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

  /** After the acknowledgement, and only a nicety: a log that cannot be grown is merely slower. */
  function growOnce({ db, walPath }: Connection): void {
    grown = true;
    if (walPath === undefined) return;
    setImmediate(() => {
      try {
        preGrowWal(db, walPath);
      } catch {
        // Busy, closed meanwhile or no room: the next process tries again.
      }
    });
  }

  return {
    ...engine,
    /** From now on a lock is not waited for as long as usual. */
    hurry(): void {
      closeBy = performance.now() + giveUpAtCloseMs;
    },
    /** From now on a power cut may take the last commits back, and other processes have the lock in between. */
    giveWay(): void {
      givesWay = true;
      connect().db.exec(`PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${pagesWhenGivingWay}`);
    },
    stop: checkpoints.stop,
  };
}

/** Changes something inside a transaction. One that throws a ThoughtboxError is refused. */
export type Change = (connection: Connection) => unknown;

/** For changes that may refuse after they touched the database: whatever such a one did is taken back. */
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

/** For changes that decide before they touch the database: they pay for no savepoint. */
export const deciding = (connection: Connection, changes: readonly Change[]): Served<unknown>[] =>
  changes.map((change) => attempt(() => change(connection)));

function rollback({ db }: Connection): void {
  try {
    db.exec("ROLLBACK");
  } catch {
    // SQLite has rolled back by itself after errors such as a full disk.
  }
}
