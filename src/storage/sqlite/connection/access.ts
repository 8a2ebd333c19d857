import type { Database } from "./driver.ts";
import type { Connection } from "./open-database.ts";
import { isBusy, toStorageError } from "./sqlite-errors.ts";

/** Runs work with the store's connection. A read may be restarted. A write is part of a transaction. */
export type WithConnection = <Result>(work: (connection: Connection) => Result) => Promise<Result>;

const readGivesUpAfterMs = 5_000;

/** Runs reads. Retries while the store is busy: another process may be repairing the log of a killed one. */
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

/** Runs long work that lets other work run in between. Converts failures in the same way as a read. */
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

/** For each connection with an open snapshot: the results of the lookups in it, by name. */
const moments = new WeakMap<Database, Map<string, unknown>>();

/** Runs a read of several statements on one snapshot, so that no other process's commits appear midway. */
export function inOneMoment<Result>(
  connection: Connection,
  select: (connection: Connection) => Result,
): Result {
  if (moments.has(connection.db)) return select(connection);
  beginMoment(connection);
  try {
    return select(connection);
  } finally {
    endMoment(connection);
  }
}

/**
 * Like `inOneMoment`, but several reads share the snapshot. Each read runs immediately, so one call's reads
 * follow each other without a pause. The snapshot ends with `endMoment`, and always before other work in this
 * process runs.
 */
export function inSharedMoment<Result>(
  connection: Connection,
  select: (connection: Connection) => Result,
): Result {
  if (!moments.has(connection.db)) {
    beginMoment(connection);
    process.nextTick(endMoment, connection);
  }
  try {
    return select(connection);
  } catch (thrown) {
    endMoment(connection);
    throw thrown;
  }
}

function beginMoment({ sql, db }: Connection): void {
  sql("BEGIN").run();
  moments.set(db, new Map());
}

export function endMoment({ sql, db }: Connection): void {
  if (!moments.delete(db)) return;
  try {
    sql("COMMIT").run();
  } catch {
    // The store has been closed, or SQLite has ended the transaction. If the transaction is still open, the
    // next `BEGIN` fails.
  }
}

/** Looks something up once for all reads in a snapshot. The result is shared and must not be changed. */
export function onceAMoment<Found>({ db }: Connection, what: string, find: () => Found): Found {
  const known = moments.get(db);
  if (!known) return find();
  if (!known.has(what)) known.set(what, find());
  return known.get(what) as Found;
}

/** Retries an attempt while the store is busy, until the `performance.now()` time that `giveUpAt` returns. */
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

/** Waits for a short random time, so that every process gets its turn. SQLite's handler starves some. */
function pause(): Promise<void> {
  const ms = 0.2 + Math.random() * 1.5;
  return new Promise((resolve) => (ms < 0.7 ? setImmediate(resolve) : setTimeout(resolve, ms)));
}
