import type { Connection } from "./open-database.ts";
import { isBusy, toStorageError } from "./sqlite-errors.ts";

/** Runs work with the store's connection. As a read it may run again; as a write it is one of a transaction. */
export type WithConnection = <Result>(work: (connection: Connection) => Result) => Promise<Result>;

const readGivesUpAfterMs = 5_000;

/** Readers need no lock, except for the moment in which another process repairs the log of one that was killed. */
export function createReader(connect: () => Connection): WithConnection {
  return async (select) => {
    const deadline = performance.now() + readGivesUpAfterMs;
    try {
      return await retryWhileBusy(
        () => select(connect()),
        () => deadline,
      );
    } catch (thrown) {
      throw toStorageError(thrown);
    }
  };
}

/** For what takes longer than a read and lets others in; its failures are told in the same words. */
export function createLongReader(read: WithConnection) {
  return async <Result>(
    work: (connection: Connection) => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> => {
    const connection = await read((open) => open);
    try {
      return await work(connection);
    } catch (thrown) {
      throw signal?.aborted ? signal.reason : toStorageError(thrown);
    }
  };
}

/** For a read of several statements: nothing that another process commits in between is seen by the later ones. */
export function inOneMoment<Result>(
  connection: Connection,
  select: (connection: Connection) => Result,
): Result {
  const { sql, db } = connection;
  sql("BEGIN").run();
  try {
    const found = select(connection);
    sql("COMMIT").run();
    return found;
  } catch (thrown) {
    try {
      db.exec("ROLLBACK");
    } catch {
      // SQLite has ended it by itself.
    }
    throw thrown;
  }
}

/** `giveUpAt` in the time of `performance.now()`, asked anew after each try. */
export async function retryWhileBusy<Result>(attempt: () => Result, giveUpAt: () => number): Promise<Result> {
  for (;;) {
    try {
      return attempt();
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() > giveUpAt()) throw thrown;
    }
    await pause();
  }
}

/** SQLite's own waiting starves late-comers; short random pauses share a lock evenly. */
function pause(): Promise<void> {
  const ms = 0.2 + Math.random() * 1.5;
  return new Promise((resolve) => (ms < 0.7 ? setImmediate(resolve) : setTimeout(resolve, ms)));
}
