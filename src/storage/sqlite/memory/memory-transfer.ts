import { tableNames } from "../../../domain/memory/dump-tables.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { EventSink } from "../../../ports/events.ts";
import type {
  DumpedRow,
  MemorySnapshot,
  MemoryTransfer,
  RowSource,
  RowsAsked,
} from "../../../ports/memory/memory-dump.ts";
import { runReplay } from "../../memory/commit.ts";
import { tidyPublished } from "../../memory/merge/merge-in-slices.ts";
import { findWorkspace } from "../../memory/places.ts";
import { type DumpDialect, discardStatements, dumpQuery } from "../../rows/dump-rows.ts";
import { retryWhileBusy, type WithConnection } from "../connection/access.ts";
import { type Connection, type Location, openDatabase } from "../connection/open-database.ts";
import { nextSeq } from "../connection/sequence.ts";
import { toStorageError } from "../connection/sqlite-errors.ts";
import type { WordIndex } from "../search/word-index.ts";
import { runQuery } from "./run-query.ts";

type TransferParts = {
  location: Location;
  read: WithConnection;
  write: WithConnection;
  words: WordIndex;
  clock: Clock;
  publish: EventSink;
};

const givesUpAfterMs = 5_000;
/**
 * The maximum number of rows erased per transaction, so that other writers wait for only a fraction of a
 * second.
 */
const erasedAtOnce = 5_000;

export function createMemoryTransfer(parts: TransferParts): MemoryTransfer {
  const { location, read, write, words, clock, publish } = parts;
  return {
    async openSnapshot(only) {
      for (let tries = 0; ; tries += 1) {
        const snapshot = await (location.kind === "memory" ? copyMoment(read, only) : holdMoment(location));
        if (snapshot.isTidy || tries === mostTries) return snapshot;
        await snapshot.close();
        await tidyPublished({
          read: (query) => read((connection) => runQuery(connection, query())),
          write: (query) => write((connection) => runQuery(connection, query())),
        });
      }
    },
    replay: (work) => write((connection) => runQuery(connection, runReplay(work(clock())))),
    discardSome: (workspace) => write((connection) => discardSome(connection, workspace)),
    announce(changes) {
      words.later();
      for (const { workspace, change, at } of changes)
        publish({ ...change, workspace, timestamp: at.toISOString() });
    },
  };
}

/** `isTidy` is true if no published large merge still has rows to move. */
type Moment = MemorySnapshot & { isTidy: boolean };

/** The maximum number of attempts, because others may publish merges as fast as they are tidied. */
const mostTries = 20;

const hasPublished = ({ sql }: Connection): boolean =>
  sql("SELECT 1 FROM graph_merges WHERE published = 1").get() !== undefined;

/** SQL: true if the row is not part of a merge that is staged but not published. */
export const isPublished = (row: string): string =>
  `${row}.seq <= (SELECT value FROM counters WHERE name = 'seq')`;

const dialect: DumpDialect = {
  join: "CROSS JOIN",
  parameter: (n) => `?${n}`,
  isAmong: (column, n) => `${column} IN (SELECT value FROM json_each(?${n}))`,
  isPublished: isPublished("t"),
  byKey: "INDEXED BY graph_by_key",
};

const sources: readonly RowSource[] = ["workspace", "branch", "entry", "version", ...tableNames];
const queries = new Map(sources.map((source) => [source, dumpQuery(source, dialect)]));

function selectRows({ sql }: Connection, { of, workspaces, after, limit }: RowsAsked): DumpedRow[] {
  return sql(queries.get(of)?.text ?? "").all(...after, JSON.stringify(workspaces), limit);
}

const selectWorkspaces = ({ sql }: Connection) =>
  sql("SELECT wid, name FROM memory_workspaces ORDER BY wid")
    .all()
    .map((row) => ({ wid: Number(row["wid"]), name: String(row["name"]) }));

function countRows({ sql }: Connection, wids: readonly number[]): number {
  const inThem = "IN (SELECT b.bid FROM memory_branches b JOIN json_each(?1) j ON j.value = b.wid)";
  const row = sql(
    `SELECT (SELECT count(*) FROM memory_entries WHERE bid ${inThem}) +
       (SELECT count(*) FROM graph_versions WHERE bid ${inThem}) +
       (SELECT count(*) FROM memory_branches WHERE bid ${inThem}) AS n`,
  ).get(JSON.stringify(wids));
  return Number(row?.["n"] ?? 0);
}

/** Copies the rows of a snapshot, because a store in RAM has only one connection. */
async function copyMoment(read: WithConnection, only: string | undefined): Promise<Moment> {
  const { workspaces, rows, counts, isTidy } = await read((connection) => {
    const workspaces = selectWorkspaces(connection);
    const wids = workspaces.flatMap(({ wid, name }) => (only === undefined || name === only ? wid : []));
    const all = (of: RowSource) => {
      const after = queries.get(of)?.keys.map(() => -1) ?? [];
      return selectRows(connection, { of, workspaces: wids, after, limit: -1 });
    };
    return {
      workspaces,
      isTidy: !hasPublished(connection),
      rows: new Map(sources.map((source) => [source, all(source)])),
      counts: new Map(wids.map((wid) => [wid, countRows(connection, [wid])])),
    };
  });
  const isAfter = (row: DumpedRow, keys: readonly string[], after: readonly number[]): boolean => {
    const n = keys.findIndex((key, at) => row[key] !== after[at]);
    return n >= 0 && Number(row[keys[n] ?? ""]) > (after[n] ?? 0);
  };
  return {
    workspaces,
    isTidy,
    count: async (wids) => wids.reduce((sum, wid) => sum + (counts.get(wid) ?? 0), 0),
    async read({ of, after, limit }) {
      const keys = queries.get(of)?.keys ?? [];
      const list = rows.get(of) ?? [];
      // Rows are requested in order, so delivered ones can be dropped.
      const start = list.findIndex((row) => isAfter(row, keys, after));
      return start < 0 ? [] : list.splice(start, limit);
    },
    async close() {},
  };
}

/** Holds the snapshot on a separate connection, so that no other call has to wait. */
async function holdMoment(location: Location): Promise<Moment> {
  const deadline = performance.now() + givesUpAfterMs;
  const worded = async <Result>(work: () => Result | Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (thrown) {
      throw toStorageError(thrown);
    }
  };
  const connection = await worded(() =>
    retryWhileBusy(
      () => beginMoment(openDatabase(location)),
      () => deadline,
    ),
  );
  return {
    workspaces: await worded(() => selectWorkspaces(connection)),
    isTidy: await worded(() => !hasPublished(connection)),
    count: (wids) => worded(() => countRows(connection, wids)),
    read: (asked) => worded(() => selectRows(connection, asked)),
    close: async () => connection.db.close(),
  };
}

function beginMoment(connection: Connection): Connection {
  try {
    connection.db.exec("BEGIN");
    // The snapshot starts with the first read.
    connection.sql("SELECT value FROM counters").get();
    return connection;
  } catch (thrown) {
    connection.db.close();
    throw thrown;
  }
}

const discards = ["DELETE FROM note_totals WHERE wid = ?", ...discardStatements("?", erasedAtOnce)];

/** Discards some of a workspace's rows. Returns true once none are left. Call inside a write. */
function discardSome(connection: Connection, workspace: string): boolean {
  const place = runQuery(connection, findWorkspace(workspace));
  if (!place) return true;
  // A number is never assigned twice, even if its entry is discarded.
  nextSeq(connection);
  let left = erasedAtOnce;
  for (const statement of discards) {
    left -= Number(connection.sql(statement).run(place.wid).changes);
    if (left <= 0) return false;
  }
  return true;
}
