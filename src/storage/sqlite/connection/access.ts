import type { Database } from "./driver.ts";
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

/**
 * For work that takes longer than a read and lets other work run. Its failures are converted in the same way.
 */
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

/** Connections with a snapshot that reads share, and what was looked up in it, by what was asked for. */
const moments = new WeakMap<Database, Map<string, unknown>>();

/** For a read of several statements: nothing that another process commits in between is seen by the later ones. */
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
 * The same for several reads. Each is done at once, so that those of one call follow each other without a pause. The
 * snapshot ends with `endMoment`, and in any case before something else of the process has its turn.
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
    // Closed meanwhile, or SQLite has ended it by itself. If it is still open, the next `BEGIN` fails and says so.
  }
}

/** Looks it up once for all reads of a snapshot. The result is shared and must not be changed. */
export function onceAMoment<Found>({ db }: Connection, what: string, find: () => Found): Found {
  const known = moments.get(db);
  if (!known) return find();
  if (!known.has(what)) known.set(what, find());
  return known.get(what) as Found;
}

/** `giveUpAt` in the time of `performance.now()`, asked again after each try. */
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
