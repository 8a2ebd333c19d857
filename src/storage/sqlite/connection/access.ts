import type { Connection } from "./open-database.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import { toStorageError } from "./sqlite-errors.ts";

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
