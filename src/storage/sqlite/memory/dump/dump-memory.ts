import { memoryFailure } from "../../../../domain/memory/failures.ts";
import type { Clock } from "../../../../kernel/clock.ts";
import type { EventSink } from "../../../../ports/events.ts";
import type { MemoryDump } from "../../../../ports/memory/memory-dump.ts";
import type { MemoryUpkeep } from "../../../../ports/memory/memory-store.ts";
import { createLongReader, retryWhileBusy, type WithConnection } from "../../connection/access.ts";
import { type Connection, type Location, openDatabase } from "../../connection/open-database.ts";
import { toStorageError } from "../../connection/sqlite-errors.ts";
import type { WordIndex } from "../../search/word-index.ts";
import { memoryPages } from "./dump-lines.ts";
import { createMemoryRestore } from "./dump-restore.ts";
import { stagingPrefix } from "./dump-staging.ts";
import { inspectMemory } from "./inspect-memory.ts";

type MemoryDumpParts = {
  location: Location;
  read: WithConnection;
  write: WithConnection;
  words: WordIndex;
  clock: Clock;
  publish: EventSink;
};

const givesUpAfterMs = 5_000;

/**
 * Pages of one moment, however long they take to be used. A connection of its own keeps that moment, so that nobody
 * waits meanwhile; a store in RAM has only one connection and is read in one go.
 */
async function* readSnapshot<Page>(
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

/** Everything that is asked of all workspaces at once, by people who look after the store. */
export function createMemoryDump({
  location,
  read,
  write,
  words,
  clock,
  publish,
}: MemoryDumpParts): MemoryDump & MemoryUpkeep {
  const dumpMemory: MemoryDump["dumpMemory"] = (workspace) =>
    readSnapshot(location, read, (connection) =>
      memoryPages(connection, workspacesToDump(connection, workspace)),
    );
  return {
    dumpMemory,
    countMemory: (workspace) =>
      read((connection) => countRows(connection, workspacesToDump(connection, workspace))),
    restoreMemory: (lastSeq) =>
      createMemoryRestore({ read, write, dump: dumpMemory, done: words.later, clock, publish }, lastSeq),
    inspectMemory: (signal) =>
      createLongReader(read)((connection) => inspectMemory(connection, signal), signal),
  };
}

function workspacesToDump({ sql }: Connection, workspace: string | undefined): number[] {
  const wids = sql(
    "SELECT wid FROM memory_workspaces WHERE (name = ?1 OR ?1 IS NULL) AND substr(name, 1, ?2) <> ?3 ORDER BY wid",
  )
    .all(workspace ?? null, stagingPrefix.length, stagingPrefix)
    .map((row) => Number(row["wid"]));
  if (workspace === undefined || wids.length > 0) return wids;
  const known = sql("SELECT name FROM memory_workspaces ORDER BY name LIMIT 10").all();
  const names = known.map((row) => String(row["name"])).filter((name) => !name.startsWith(stagingPrefix));
  throw memoryFailure("unknown_workspace", { workspace, known: names });
}

function countRows({ sql }: Connection, wids: readonly number[]): number {
  const chosen = JSON.stringify(wids);
  const inThem = "IN (SELECT b.bid FROM memory_branches b JOIN json_each(?1) j ON j.value = b.wid)";
  const row = sql(
    `SELECT (SELECT count(*) FROM memory_entries WHERE bid ${inThem}) +
       (SELECT count(*) FROM graph_versions WHERE bid ${inThem}) +
       (SELECT count(*) FROM memory_branches WHERE bid ${inThem}) AS n`,
  ).get(chosen);
  return Number(row?.["n"] ?? 0);
}
