import { ThoughtboxError } from "../../../kernel/errors.ts";
import { storageFailure } from "../../../ports/storage-failures.ts";
import { createCheckpoints } from "./checkpoints.ts";
import type { Connection } from "./open-database.ts";
import { preGrowWal } from "./pre-grow-wal.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import { isDamage, isReadOnly, toStorageError, unwritable } from "./sqlite-errors.ts";

/** Runs inside the transaction. One that throws a ThoughtboxError has changed nothing; its neighbours go on. */
export type Write<Result> = (connection: Connection) => Result;

/**
 * What the writes of a run keep in RAM between them; see `createAppendRun`. They pay for no savepoint, and so must decide
 * before they touch the database.
 */
type PendingRun = { finish(connection: Connection): void; forget(): void };

type Waiting = {
  write: Write<unknown>;
  ofRun: boolean;
  resolve: (result: unknown) => void;
  reject: (error: ThoughtboxError) => void;
};

const batchLimit = 256;
const giveUpAfterMs = 15_000;
/** At the end of the process there is no time left to wait for a lock that somebody keeps. */
const giveUpAtCloseMs = 100;

/**
 * Natural group commit: calls queue, and one transaction serves all that wait. A lone caller pays one commit,
 * sixty-four callers share one. Runs on the main thread, because handing rows to another costs more than
 * the commit itself.
 */
export function createCommitQueue(connect: () => Connection, run: PendingRun) {
  const waiting: Waiting[] = [];
  let running: Promise<void> | undefined;
  let stopped: ThoughtboxError | undefined;
  let grown = false;
  let closeBy = Number.POSITIVE_INFINITY;
  const checkpoints = createCheckpoints(connect);

  /** `ofRun` for writes that share what `run` keeps; before any other one it is written down. */
  function submit<Result>(write: Write<Result>, ofRun = false): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      waiting.push({ write, ofRun, resolve: resolve as (result: unknown) => void, reject });
      running ??= new Promise<void>((done) => setImmediate(() => void drain().then(done)));
    });
  }

  /** Between two commits everybody else has a turn: one who writes piece after piece does not stop the process. */
  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      await commitWaiting();
      if (waiting.length > 0) await new Promise((resolve) => setImmediate(resolve));
    }
    running = undefined;
  }

  /** The batch is taken once the lock is held, so that whoever came while we waited for it travels along. */
  async function commitWaiting(): Promise<void> {
    let batch: Waiting[] | undefined;
    try {
      await inTransaction((connection) => {
        batch ??= waiting.splice(0, batchLimit);
        settle(connection, batch);
        if (!grown) growOnce(connection);
      });
    } catch (thrown) {
      const error = note(thrown);
      // One bad write must not take its neighbours with it: after a surprise each runs by itself.
      if (batch && batch.length > 1 && !stopped) for (const one of batch) await commitAlone(one);
      else for (const { reject } of batch ?? waiting.splice(0)) reject(error);
    }
  }

  async function commitAlone(one: Waiting): Promise<void> {
    try {
      await inTransaction((connection) => settle(connection, [one]));
    } catch (thrown) {
      one.reject(note(thrown));
    }
  }

  /**
   * From BEGIN to the acknowledgements in one tick: the connection is shared, and a read that came in between would
   * find a transaction open. Only between failed tries others get a turn.
   */
  async function inTransaction(work: (connection: Connection) => void): Promise<void> {
    if (stopped) throw stopped;
    const connection = connect();
    if (connection.readOnly) throw unwritable();
    const deadline = performance.now() + giveUpAfterMs;
    await retryWhileBusy(
      () => {
        connection.db.exec("BEGIN IMMEDIATE");
        work(connection);
      },
      () => Math.min(deadline, closeBy),
    );
  }

  function note(thrown: unknown): ThoughtboxError {
    if (isDamage(thrown)) stopped ??= storageFailure("writes_stopped", {});
    return toStorageError(thrown);
  }

  /** All or nothing, and nothing is acknowledged before the commit. */
  function settle(connection: Connection, batch: Waiting[]): void {
    const outcomes: Outcome[] = [];
    try {
      for (const { write, ofRun } of batch) {
        if (!ofRun) run.finish(connection);
        outcomes.push(attempt(ofRun ? write : withSavepoint(write), connection));
      }
      run.finish(connection);
      connection.db.exec("COMMIT");
    } catch (thrown) {
      rollback(connection);
      run.forget();
      if (isReadOnly(thrown)) connection.readOnly = true;
      throw thrown;
    }
    if (!connection.isStillThere()) {
      stopped = storageFailure("store_file_lost", {});
      throw stopped;
    }
    checkpoints.later(batch.length);
    for (const [n, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[n];
      if (outcome?.refused) reject(outcome.refused);
      else resolve(outcome?.result);
    }
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
    submit,
    /** Resolves when nothing waits any more; from now on a lock is not waited for as long as usual. */
    async finish(): Promise<void> {
      closeBy = performance.now() + giveUpAtCloseMs;
      while (running !== undefined) await running;
      checkpoints.stop();
    },
  };
}

type Outcome = { result: unknown; refused?: undefined } | { result?: undefined; refused: ThoughtboxError };

function attempt(write: Write<unknown>, connection: Connection): Outcome {
  try {
    return { result: write(connection) };
  } catch (thrown) {
    if (thrown instanceof ThoughtboxError) return { refused: thrown };
    throw thrown;
  }
}

/** Whatever a write did before it refused, or met a row that cannot be read, is taken back. */
function withSavepoint<Result>(write: Write<Result>): Write<Result> {
  return (connection) => {
    const { sql } = connection;
    sql("SAVEPOINT one_write").run();
    try {
      const result = write(connection);
      sql("RELEASE one_write").run();
      return result;
    } catch (thrown) {
      if (thrown instanceof ThoughtboxError) {
        sql("ROLLBACK TO one_write").run();
        sql("RELEASE one_write").run();
      }
      throw thrown;
    }
  };
}

function rollback({ db }: Connection): void {
  try {
    db.exec("ROLLBACK");
  } catch {
    // SQLite has rolled back by itself after errors such as a full disk.
  }
}
