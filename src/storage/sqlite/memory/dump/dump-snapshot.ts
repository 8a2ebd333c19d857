import type { WithConnection } from "../../connection/access.ts";
import { type Connection, type Location, openDatabase } from "../../connection/open-database.ts";
import { retryWhileBusy } from "../../connection/retry-while-busy.ts";
import { toStorageError } from "../../connection/sqlite-errors.ts";

const givesUpAfterMs = 5_000;

/**
 * Pages of one moment, however long they take to be used. A connection of its own keeps that moment, so that nobody
 * waits meanwhile; a store in RAM has only one connection and is read in one go.
 */
export async function* readSnapshot<Page>(
  location: Location,
  read: WithConnection,
  pages: (connection: Connection) => Iterable<Page>,
): AsyncGenerator<Page> {
  if (location.kind === "memory") {
    yield* await read((connection) => [...pages(connection)]);
    return;
  }
  const connection = await openSnapshot(location);
  try {
    yield* pages(connection);
  } catch (thrown) {
    throw toStorageError(thrown);
  } finally {
    connection.db.close();
  }
}

async function openSnapshot(location: Location): Promise<Connection> {
  const deadline = performance.now() + givesUpAfterMs;
  try {
    return await retryWhileBusy(
      () => holdMoment(openDatabase(location)),
      () => deadline,
    );
  } catch (thrown) {
    throw toStorageError(thrown);
  }
}

function holdMoment(connection: Connection): Connection {
  try {
    connection.db.exec("BEGIN");
    // The moment is that of the first read.
    connection.sql("SELECT value FROM counters").get();
    return connection;
  } catch (thrown) {
    connection.db.close();
    throw thrown;
  }
}
