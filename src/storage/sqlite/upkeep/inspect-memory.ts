import { describeTable, stagingPrefix, tableNames } from "../../../domain/memory/dump-tables.ts";
import type { MemoryInspection } from "../../../ports/memory/memory-store.ts";
import { runLongStatements } from "../connection/long-statements.ts";
import type { Connection } from "../connection/open-database.ts";
import { isPublished } from "../memory/graph/graph-view.ts";

const shown = `memory_workspaces w WHERE substr(w.name, 1, ${stagingPrefix.length}) <> '${stagingPrefix}'`;
const onStage = `SELECT b.bid FROM memory_branches b JOIN memory_workspaces w ON w.wid = b.wid
  WHERE substr(w.name, 1, ${stagingPrefix.length}) = '${stagingPrefix}'`;

/** Not those of a document that is being merged: until that has ended, the rules need not hold. */
const settledVersions = "(SELECT * FROM graph_versions WHERE doc NOT IN (SELECT doc FROM graph_merges))";

const live = "b.deleted_at_ms IS NULL";
const streamOf = (row: string, form: string) =>
  `SELECT 1 FROM memory_streams s WHERE s.bid = ${row}.bid AND s.doc = ${row}.doc AND s.form = '${form}'`;

const described = tableNames.map((name) => ({ name, ...describeTable(name) }));
const streamTables = described.filter((table) => table.of === "stream").map(({ table }) => table);
const commitColumns = described.flatMap(({ name, table, fields }) =>
  Object.entries(fields).flatMap(([field, { kind, column = field }]) =>
    kind === "commit" ? [{ name, table, column }] : [],
  ),
);

/** Each counts what breaks a rule of the tables, and says it of that many. */
const rules: readonly { count: string; says: (found: number) => string }[] = [
  {
    count: `SELECT count(*) AS n FROM (SELECT 1 FROM ${settledVersions} WHERE superseded IS NULL
      GROUP BY doc, bid, key HAVING count(*) > 1)`,
    says: (n) => `${of(n, "key has", "keys have")} more than one current version on a branch`,
  },
  {
    count: `SELECT count(*) AS n FROM (SELECT superseded,
        lead(seq) OVER (PARTITION BY doc, bid, key ORDER BY seq) AS following FROM ${settledVersions})
      WHERE superseded IS NOT following AND NOT (superseded IS NULL)`,
    says: (n) => `${of(n, "version names", "versions name")} another follower than the next version`,
  },
  {
    count: `SELECT count(*) AS n FROM ${settledVersions} v WHERE v.visible = 0 AND (v.superseded IS NULL OR EXISTS (
      SELECT 1 FROM memory_branches b WHERE b.base = v.bid AND b.base_seq >= v.seq AND b.base_seq < v.superseded
      AND b.erased = 0))`,
    says: (n) =>
      `${of(n, "version is", "versions are")} hidden from a branch that shows ${n === 1 ? "it" : "them"}`,
  },
  {
    count: `SELECT count(*) AS n FROM ${settledVersions} v WHERE v.visible = 1 AND v.deleted = 0 AND v.kind = 'node'
      AND NOT EXISTS (SELECT 1 FROM graph_facets f WHERE f.doc = v.doc AND f.bid = v.bid
        AND f.facet = 'type:' || v.type AND f.seq = v.seq)`,
    says: (n) => `${of(n, "node is", "nodes are")} not found by type`,
  },
  {
    count: `SELECT (SELECT count(*) FROM memory_entries e WHERE NOT EXISTS (${streamOf("e", "log")})) +
      (SELECT count(*) FROM ${settledVersions} v WHERE NOT EXISTS (${streamOf("v", "graph")}))
      ${streamTables.map((table) => `+ (SELECT count(*) FROM ${table} t WHERE NOT EXISTS (${streamOf("t", "log")}))`).join("")} AS n`,
    says: (n) => `${of(n, "row belongs", "rows belong")} to a document that its branch does not list`,
  },
  {
    count: `SELECT count(*) AS n FROM memory_streams s JOIN memory_branches b ON b.bid = s.bid WHERE b.erased = 1`,
    says: (n) => `${of(n, "document is", "documents are")} left of an erased branch`,
  },
  {
    count: `SELECT count(*) AS n FROM ${shown} AND NOT EXISTS (
      SELECT 1 FROM memory_branches b WHERE b.bid = w.checkout AND b.wid = w.wid AND ${live})`,
    says: (n) => `${of(n, "workspace has", "workspaces have")} a branch checked out that is not there`,
  },
  ...commitColumns.map(({ name, table, column }) => ({
    count: `SELECT count(*) AS n FROM ${table} t WHERE t.${column} IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM memory_commits c WHERE c.seq = t.${column})`,
    says: (n: number) => `${of(n, `${name} names`, `${name}s name`)} a commit that is not there`,
  })),
];

const of = (n: number, one: string, many: string): string =>
  `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

const lackingWords = `SELECT count(*) AS n FROM graph_versions v WHERE v.kind = 'node' AND v.visible = 1
  AND v.deleted = 0 AND v.seq <= (SELECT value FROM counters WHERE name = 'graph_indexed_seq')
  AND NOT EXISTS (SELECT 1 FROM graph_words_docsize d WHERE d.id = v.seq)`;

/** Rows are counted at once; every rule looks through a whole table. */
export async function inspectMemory(connection: Connection, signal?: AbortSignal): Promise<MemoryInspection> {
  const { sql } = connection;
  const count = (query: string): number => Number(sql(query).get()?.["n"] ?? 0);
  const counts = {
    workspaces: count(`SELECT count(*) AS n FROM ${shown}`),
    branches: count(
      `SELECT count(*) AS n FROM memory_branches b WHERE ${live} AND b.bid NOT IN (${onStage})`,
    ),
    entries: count(`SELECT count(*) AS n FROM memory_entries WHERE bid NOT IN (${onStage})`),
    versions: count(
      `SELECT count(*) AS n FROM graph_versions v WHERE v.bid NOT IN (${onStage}) AND ${isPublished("v")}`,
    ),
    unfinished: sql("SELECT name FROM memory_workspaces WHERE substr(name, 1, ?) = ? ORDER BY name")
      .all(stagingPrefix.length, stagingPrefix)
      .map((row) => String(row["name"]).slice(stagingPrefix.length)),
  };
  const queries = [lackingWords, ...rules.map((rule) => rule.count)].map((query) => ({ sql: query }));
  const found = await runLongStatements(connection, queries, signal);
  const [lacking = 0, ...broken] = found.map(([row]) => Number(row?.["n"] ?? 0));
  return {
    ...counts,
    problems: rules.flatMap(({ says }, n) => ((broken[n] ?? 0) > 0 ? [says(broken[n] ?? 0)] : [])),
    lackingWords: lacking,
  };
}
