import { describeTable, stagingPrefix, tableNames } from "../../domain/memory/dump-tables.ts";

/** SQL: visible workspaces, as a table and its condition. */
export const shownWorkspaces = `memory_workspaces w WHERE substr(w.name, 1, ${stagingPrefix.length}) <> '${stagingPrefix}'`;
/** SQL: branches in workspaces whose restore is not finished. */
export const branchesOnStage = `SELECT b.bid FROM memory_branches b JOIN memory_workspaces w ON w.wid = b.wid
  WHERE substr(w.name, 1, ${stagingPrefix.length}) = '${stagingPrefix}'`;

/** SQL: excludes documents that are being merged, because the rules apply only after the merge. */
const settledVersions =
  "(SELECT g.* FROM graph_versions g WHERE g.doc NOT IN (SELECT m.doc FROM graph_merges m))";

export const isLive = "b.deleted_at_ms IS NULL";
const streamOf = (row: string, form: string) =>
  `SELECT 1 FROM memory_streams s WHERE s.bid = ${row}.bid AND s.doc = ${row}.doc AND s.form = '${form}'`;

const described = tableNames.map((name) => ({ name, ...describeTable(name) }));
const streamTables = described.filter((table) => table.of === "stream").map(({ table }) => table);
const commitColumns = described.flatMap(({ name, table, fields }) =>
  Object.entries(fields).flatMap(([field, { kind, column = field }]) =>
    kind === "commit" ? [{ name, table, column }] : [],
  ),
);

/** For each rule, `count` selects how many rows break it, and `says` describes the problem. */
export const memoryRules: readonly { count: string; says: (found: number) => string }[] = [
  {
    count: `SELECT count(*) AS n FROM (SELECT 1 FROM ${settledVersions} v WHERE superseded IS NULL
      GROUP BY doc, bid, key HAVING count(*) > 1) f`,
    says: (n) => `${of(n, "key has", "keys have")} more than one current version on a branch`,
  },
  {
    count: `SELECT count(*) AS n FROM (SELECT superseded,
        lead(seq) OVER (PARTITION BY doc, bid, key ORDER BY seq) AS following FROM ${settledVersions} v) f
      WHERE superseded IS DISTINCT FROM following AND superseded IS NOT NULL`,
    says: (n) => `${of(n, "version refers", "versions refer")} to a wrong successor`,
  },
  {
    count: `SELECT count(*) AS n FROM ${settledVersions} v WHERE v.visible = 0 AND (v.superseded IS NULL OR EXISTS (
      SELECT 1 FROM memory_branches b WHERE b.base = v.bid AND b.base_seq >= v.seq AND b.base_seq < v.superseded
      AND b.erased = 0))`,
    says: (n) =>
      `${of(n, "version is", "versions are")} not visible on a branch that contains ${n === 1 ? "it" : "them"}`,
  },
  {
    count: `SELECT count(*) AS n FROM ${settledVersions} v WHERE v.visible = 1 AND v.deleted = 0 AND v.kind = 'node'
      AND NOT EXISTS (SELECT 1 FROM graph_facets f WHERE f.doc = v.doc AND f.bid = v.bid
        AND f.facet = 'type:' || v.type AND f.seq = v.seq)`,
    says: (n) => `${of(n, "node cannot", "nodes cannot")} be found by type`,
  },
  {
    count: `SELECT (SELECT count(*) FROM memory_entries e WHERE NOT EXISTS (${streamOf("e", "log")})) +
      (SELECT count(*) FROM ${settledVersions} v WHERE NOT EXISTS (${streamOf("v", "graph")}))
      ${streamTables.map((table) => `+ (SELECT count(*) FROM ${table} t WHERE NOT EXISTS (${streamOf("t", "log")}))`).join("")} AS n`,
    says: (n) => `${of(n, "row belongs", "rows belong")} to a document that its branch does not list`,
  },
  {
    count: `SELECT count(*) AS n FROM memory_streams s JOIN memory_branches b ON b.bid = s.bid WHERE b.erased = 1`,
    says: (n) => `${of(n, "document is", "documents are")} left over from an erased branch`,
  },
  {
    count: `SELECT count(*) AS n FROM ${shownWorkspaces} AND NOT EXISTS (
      SELECT 1 FROM memory_branches b WHERE b.bid = w.checkout AND b.wid = w.wid AND ${isLive})`,
    says: (n) => `${of(n, "workspace has", "workspaces have")} checked out a branch that does not exist`,
  },
  ...commitColumns.map(({ name, table, column }) => ({
    count: `SELECT count(*) AS n FROM ${table} t WHERE t.${column} IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM memory_commits c WHERE c.seq = t.${column})`,
    says: (n: number) => `${of(n, `${name} refers`, `${name}s refer`)} to a commit that does not exist`,
  })),
];

const of = (n: number, one: string, many: string): string =>
  `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
