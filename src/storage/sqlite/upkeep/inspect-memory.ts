import { stagingPrefix } from "../../../domain/memory/dump-tables.ts";
import type { MemoryInspection } from "../../../ports/memory/memory-store.ts";
import { branchesOnStage, isLive, memoryRules, shownWorkspaces } from "../../rows/memory-rules.ts";
import { runLongStatements } from "../connection/long-statements.ts";
import type { Connection } from "../connection/open-database.ts";
import { isPublished } from "../memory/memory-transfer.ts";

const lackingWords = `SELECT count(*) AS n FROM graph_versions v WHERE v.kind = 'node' AND v.visible = 1
  AND v.deleted = 0 AND v.seq <= (SELECT value FROM counters WHERE name = 'graph_indexed_seq')
  AND NOT EXISTS (SELECT 1 FROM graph_words_docsize d WHERE d.id = v.seq)`;

/** Counts rows here, and checks the rules in a separate process, because each rule scans a whole table. */
export async function inspectMemory(connection: Connection, signal?: AbortSignal): Promise<MemoryInspection> {
  const { sql } = connection;
  const count = (query: string): number => Number(sql(query).get()?.["n"] ?? 0);
  const counts = {
    workspaces: count(`SELECT count(*) AS n FROM ${shownWorkspaces}`),
    branches: count(
      `SELECT count(*) AS n FROM memory_branches b WHERE ${isLive} AND b.bid NOT IN (${branchesOnStage})`,
    ),
    entries: count(`SELECT count(*) AS n FROM memory_entries WHERE bid NOT IN (${branchesOnStage})`),
    versions: count(
      `SELECT count(*) AS n FROM graph_versions v WHERE v.bid NOT IN (${branchesOnStage}) AND ${isPublished("v")}`,
    ),
    unfinished: sql("SELECT name FROM memory_workspaces WHERE substr(name, 1, ?) = ? ORDER BY name")
      .all(stagingPrefix.length, stagingPrefix)
      .map((row) => String(row["name"]).slice(stagingPrefix.length)),
  };
  const queries = [lackingWords, ...memoryRules.map((rule) => rule.count)].map((query) => ({ sql: query }));
  const found = await runLongStatements(connection, queries, signal);
  const [lacking = 0, ...broken] = found.map(([row]) => Number(row?.["n"] ?? 0));
  return {
    ...counts,
    problems: memoryRules.flatMap(({ says }, n) => ((broken[n] ?? 0) > 0 ? [says(broken[n] ?? 0)] : [])),
    lackingWords: lacking,
  };
}
