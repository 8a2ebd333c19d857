import { attempt, type Engine, type Outcome, type Run } from "../../../kernel/commit-queue.ts";
import type { ThoughtboxError } from "../../../kernel/errors.ts";
import { storageFailure } from "../../../ports/storage-failures.ts";
import { createCheckpoints } from "./checkpoints.ts";
import type { Connection } from "./open-database.ts";
import { preGrowWal } from "./pre-grow-wal.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import { isDamage, isReadOnly, toStorageError, unwritable } from "./sqlite-errors.ts";

const giveUpAfterMs = 15_000;
/** At the end of the process there is no time left to wait for a lock that somebody keeps. */
const giveUpAtCloseMs = 100;

/**
 * Transactions of SQLite, on the main thread: handing rows to another one costs more than the commit itself. From BEGIN
 * to COMMIT in one tick, because the connection is shared and a read that came in between would find a transaction open.
 * Only between failed tries others get a turn. `onRollback` is called when what a transaction did was taken back.
 */
export function createSqliteEngine(connect: () => Connection, onRollback: () => void) {
  let stopped: ThoughtboxError | undefined;
  let grown = false;
  let closeBy = Number.POSITIVE_INFINITY;
  const checkpoints = createCheckpoints(connect);

  const engine: Engine<Connection> = {
    transact(take) {
      if (stopped) return Promise.reject(stopped);
      const connection = connect();
      if (connection.readOnly) return Promise.reject(unwritable());
      const deadline = performance.now() + giveUpAfterMs;
      return retryWhileBusy(
        () => {
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
  function settle(connection: Connection, runs: readonly Run<Connection>[]): Outcome<unknown>[] {
    const outcomes: Outcome<unknown>[] = [];
    const isOnly = runs.length === 1 && runs[0]?.inputs.length === 1;
    try {
      // Everything that is submitted here returns at once; see `transact`.
      for (const { work, inputs } of runs)
        for (const outcome of work(connection, inputs, isOnly) as Outcome<unknown>[]) outcomes.push(outcome);
      connection.db.exec(outcomes.every(({ refused }) => refused) ? "ROLLBACK" : "COMMIT");
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
    checkpoints.later(outcomes.length);
    if (!grown) growOnce(connection);
    return outcomes;
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
): Outcome<unknown>[] {
  if (isOnly) return deciding(connection, changes);
  const { sql } = connection;
  return changes.map((change) => {
    sql("SAVEPOINT one_change").run();
    const outcome = attempt(() => change(connection));
    if (outcome.refused) sql("ROLLBACK TO one_change").run();
    sql("RELEASE one_change").run();
    return outcome;
  });
}

/** For changes that decide before they touch the database: they pay for no savepoint. */
export const deciding = (connection: Connection, changes: readonly Change[]): Outcome<unknown>[] =>
  changes.map((change) => attempt(() => change(connection)));

function rollback({ db }: Connection): void {
  try {
    db.exec("ROLLBACK");
  } catch {
    // SQLite has rolled back by itself after errors such as a full disk.
  }
}
