import { stagingPrefix, tableNames } from "../../../domain/memory/dump-tables.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { EventSink } from "../../../ports/events.ts";
import type { MemorySnapshot, MemoryTransfer, RowSource } from "../../../ports/memory/memory-dump.ts";
import type { MemoryInspection, MemoryUpkeep } from "../../../ports/memory/memory-store.ts";
import { runReplay } from "../../memory/commit.ts";
import { tidyPublished } from "../../memory/merge/merge-in-slices.ts";
import { findWorkspace } from "../../memory/places.ts";
import { type DumpDialect, discardStatements, dumpQuery } from "../../rows/dump-rows.ts";
import { branchesOnStage, isLive, memoryRules, shownWorkspaces } from "../../rows/memory-rules.ts";
import {
  asker,
  type Connection,
  type Naming,
  type WithConnection,
  type WithWrite,
  type WriteConnection,
} from "../connection/access.ts";
import type { Pool } from "../connection/pool.ts";
import { toStorageError } from "../connection/postgres-errors.ts";
import { nextSeq } from "../connection/sequence.ts";
import { ofTenant, statementsFor } from "../connection/statements.ts";
import { runQuery } from "./run-query.ts";

/** Returns an SQL condition: the row is not part of a merge that is staged but not published. */
const isPublished = (row: string): string => `${row}.seq <= (SELECT seq FROM {tenants} t)`;

type TransferParts = {
  pool(): Promise<Pool>;
  tenant: string;
  naming: Naming;
  read: WithConnection;
  write: WithWrite;
  clock: Clock;
  publish: EventSink;
};

/**
 * The maximum number of rows erased per transaction, so that other writers wait for only a fraction of a
 * second.
 */
const erasedAtOnce = 5_000;

export function createMemoryTransfer(parts: TransferParts): MemoryTransfer & MemoryUpkeep {
  const { read, write, clock, publish } = parts;
  return {
    async openSnapshot() {
      for (let tries = 0; ; tries += 1) {
        const snapshot = await holdMoment(parts);
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
      for (const { workspace, change, at } of changes)
        publish({ ...change, workspace, timestamp: at.toISOString() });
    },
    inspectMemory: () => read(inspectMemory),
  };
}

/** A snapshot. `isTidy` is true if every published large merge has moved all of its rows. */
type Moment = MemorySnapshot & { isTidy: boolean };

/** The maximum number of attempts at a tidy snapshot. Others may publish merges as fast as they are tidied. */
const mostTries = 20;

const dialect: DumpDialect = {
  join: "JOIN",
  parameter: (n) => `?${n}`,
  isAmong: (column, n) => `${column} = ANY (?${n}::bigint[])`,
  isPublished: isPublished("t"),
  byKey: "",
};

const sources: readonly RowSource[] = ["workspace", "branch", "entry", "version", ...tableNames];
const queries = new Map(sources.map((source) => [source, ofTenant(dumpQuery(source, dialect).text)]));

const counted = ["memory_entries", "graph_versions", "memory_branches"]
  .map(
    (table) =>
      `(SELECT count(*) FROM {${table}} r JOIN {memory_branches} b ON b.bid = r.bid WHERE b.wid = ANY (?1::bigint[]))`,
  )
  .join(" + ");

/** Opens a snapshot on a separate connection, so that no other call has to wait. */
async function holdMoment({ pool, tenant, naming }: TransferParts): Promise<Moment> {
  const worded = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (thrown) {
      throw toStorageError(thrown);
    }
  };
  const lease = await worded(async () => (await pool()).take());
  const sql = statementsFor(tenant, asker(lease.client, naming));
  const { workspaces, isTidy } = await worded(async () => {
    await lease.client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const untidy = await sql("SELECT 1 AS there FROM {graph_merges} m WHERE published = 1 LIMIT 1").get();
    const workspaces = await sql("SELECT wid, name FROM {memory_workspaces} w ORDER BY wid").all();
    return { workspaces, isTidy: untidy === undefined };
  }).catch((thrown) => {
    lease.release(true);
    throw thrown;
  });
  return {
    isTidy,
    workspaces: workspaces.map((row) => ({ wid: Number(row["wid"]), name: String(row["name"]) })),
    count: (wids) => worded(async () => Number((await sql(`SELECT ${counted} AS n`).get(wids))?.["n"] ?? 0)),
    read: ({ of, workspaces: wids, after, limit }) =>
      worded(() => sql(queries.get(of) ?? "").all(...after, wids, limit)),
    async close() {
      await lease.client.query("COMMIT").catch(() => {});
      lease.release();
    },
  };
}

const ofDocs = (table: string): string =>
  `DELETE FROM ${table} WHERE seq IN (SELECT seq FROM memory_entries WHERE doc IN (SELECT doc FROM memory_docs WHERE wid = ?))`;
const discards = [
  ofTenant(ofDocs("text_words")),
  ofTenant("DELETE FROM graph_words WHERE doc IN (SELECT doc FROM memory_docs WHERE wid = ?)"),
  ...discardStatements("?", erasedAtOnce).map(ofTenant),
];

/** Erases part of a workspace. Returns true if nothing is left. Call inside a write. */
async function discardSome(connection: WriteConnection, workspace: string): Promise<boolean> {
  const place = await runQuery(connection, findWorkspace(workspace));
  if (!place) return true;
  // A number is never assigned twice, even if its entry is discarded.
  nextSeq(connection);
  let left = erasedAtOnce;
  for (const statement of discards) {
    left -= await connection.sql(statement).run(place.wid);
    if (left <= 0) return false;
  }
  return true;
}

const lackingWords = `SELECT count(*) AS n FROM {graph_versions} v WHERE v.kind = 'node' AND v.visible = 1
  AND v.deleted = 0 AND ${isPublished("v")} AND NOT EXISTS (SELECT 1 FROM {graph_words} w WHERE w.seq = v.seq)`;

/** Checks the memory. Each check scans a whole table. */
async function inspectMemory({ sql }: Connection): Promise<MemoryInspection> {
  const count = async (query: string): Promise<number> => Number((await sql(query).get())?.["n"] ?? 0);
  const counting = (query: string) => count(ofTenant(`SELECT count(*) AS n FROM ${query}`));
  const [workspaces, branches, entries, versions, lacking, unfinished] = await Promise.all([
    counting(shownWorkspaces),
    counting(`memory_branches b WHERE ${isLive} AND b.bid NOT IN (${branchesOnStage})`),
    counting(`memory_entries e WHERE e.bid NOT IN (${branchesOnStage})`),
    counting(`graph_versions v WHERE v.bid NOT IN (${branchesOnStage}) AND ${isPublished("v")}`),
    count(lackingWords),
    sql("SELECT name FROM {memory_workspaces} w WHERE starts_with(name, ?) ORDER BY name").all(stagingPrefix),
  ]);
  const problems: string[] = [];
  for (const { count: query, says } of memoryRules) {
    const found = await count(ofTenant(query));
    if (found > 0) problems.push(says(found));
  }
  return {
    workspaces,
    branches,
    entries,
    versions,
    problems,
    lackingWords: lacking,
    unfinished: unfinished.map((row) => String(row["name"]).slice(stagingPrefix.length)),
  };
}
