import { ThoughtboxError } from "../../kernel/errors.ts";
import type { Connection } from "./open-database.ts";
import { preGrowWal } from "./pre-grow-wal.ts";
import { isBusy, isDamage, toStorageError } from "./sqlite-errors.ts";

/** A write decides first and touches the database second, so running it again after a rollback is safe. */
export type Write<Result> = (connection: Connection) => Result;

type Waiting = {
  write: Write<unknown>;
  resolve: (result: unknown) => void;
  reject: (error: ThoughtboxError) => void;
};

const batchLimit = 256;
const giveUpAfterMs = 15_000;

/**
 * Natural group commit: calls queue, and one transaction serves all that wait. A lone caller pays one commit,
 * sixty-four callers share one. Runs on the main thread, because handing rows to another costs more than
 * the commit itself.
 */
export function createCommitQueue(connect: () => Connection) {
  const waiting: Waiting[] = [];
  let running: Promise<void> | undefined;
  let damaged: ThoughtboxError | undefined;
  let grown = false;

  function submit<Result>(write: Write<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      waiting.push({ write, resolve: resolve as (result: unknown) => void, reject });
      running ??= new Promise<void>((done) => setImmediate(() => void drain().then(done)));
    });
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) await commitWaiting();
    running = undefined;
  }

  /** The batch is taken once the lock is held, so that whoever came while we waited for it travels along. */
  async function commitWaiting(): Promise<void> {
    let batch: Waiting[] | undefined;
    try {
      if (damaged) throw damaged;
      const connection = connect();
      if (connection.readOnly) throw unwritable();
      await begin(connection);
      batch = waiting.splice(0, batchLimit);
      settle(connection, batch);
      if (!grown) growOnce(connection);
    } catch (thrown) {
      const error = note(thrown);
      for (const { reject } of batch ?? waiting.splice(0)) reject(error);
    }
  }

  function note(thrown: unknown): ThoughtboxError {
    const error = toStorageError(thrown);
    if (isDamage(thrown)) damaged ??= error;
    return error;
  }

  /** SQLite's own waiting starves late-comers; short random pauses share the lock evenly. */
  async function begin(connection: Connection): Promise<void> {
    const deadline = performance.now() + giveUpAfterMs;
    for (;;) {
      try {
        connection.db.exec("BEGIN IMMEDIATE");
        return;
      } catch (thrown) {
        if (!isBusy(thrown) || performance.now() > deadline) throw thrown;
        await pause();
      }
    }
  }

  /** One bad write must not take its neighbours with it: refusals are kept apart, surprises run singly. */
  function settle(connection: Connection, batch: Waiting[]): void {
    const outcomes: (() => void)[] = [];
    try {
      for (const { write, resolve, reject } of batch) {
        const outcome = attempt(() => write(connection));
        outcomes.push("refused" in outcome ? () => reject(outcome.refused) : () => resolve(outcome.result));
      }
      connection.db.exec("COMMIT");
    } catch (thrown) {
      rollback(connection);
      if (batch.length === 1) throw thrown;
      for (const one of batch) settleAlone(connection, one);
      return;
    }
    for (const tell of outcomes) tell();
  }

  function settleAlone(connection: Connection, one: Waiting): void {
    try {
      connection.db.exec("BEGIN IMMEDIATE");
      settle(connection, [one]);
    } catch (thrown) {
      one.reject(note(thrown));
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
    /** Resolves when nothing waits any more. */
    async settled(): Promise<void> {
      while (running !== undefined) await running;
    },
  };
}

function attempt<Result>(write: () => Result): { result: Result } | { refused: ThoughtboxError } {
  try {
    return { result: write() };
  } catch (thrown) {
    if (thrown instanceof ThoughtboxError) return { refused: thrown };
    throw thrown;
  }
}

function rollback({ db }: Connection): void {
  try {
    db.exec("ROLLBACK");
  } catch {
    // SQLite has rolled back by itself after errors such as a full disk.
  }
}

function unwritable(): ThoughtboxError {
  return new ThoughtboxError("STORAGE_ERROR", "The data directory cannot be written. Nothing was changed.", {
    recovery: { hint: "Make the data directory writable and restart; reading goes on meanwhile." },
  });
}

function pause(): Promise<void> {
  const ms = 0.2 + Math.random() * 1.5;
  return new Promise((resolve) => (ms < 0.7 ? setImmediate(resolve) : setTimeout(resolve, ms)));
}
