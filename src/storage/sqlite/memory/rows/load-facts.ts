import { endOfTime, type Link, lineageOf } from "../../../../domain/memory/lineage.ts";
import { onceScope } from "../../../../domain/memory/steps/commit-calls.ts";
import type { BranchRow, FactKind, FactKinds, Need } from "../../../../domain/memory/steps/rows.ts";
import type { MemoryRows } from "../../../../ports/memory/rows.ts";
import type { Row, SqlValue } from "../../connection/driver.ts";
import { parseColumn } from "../../connection/json-column.ts";
import type { Connection } from "../../connection/open-database.ts";
import { readSequence } from "../../connection/sequence.ts";
import { loadCurrent, loadEdgesAt, loadHeads, loadSources, loadTally } from "./graph-facts.ts";

/** `wid` is 0 where there is no such workspace: then nothing is found. */
type Where<Scope> = { connection: Connection; workspace: string; wid: number; scope: Scope };

type Loader<Kind extends FactKind> = (
  keys: readonly FactKinds[Kind]["key"][],
  where: Where<FactKinds[Kind]["scope"]>,
) => readonly FactKinds[Kind]["found"][];

const loaders: { [Kind in FactKind]?: Loader<Kind> } = {
  sequence: (_, { connection }) => [readSequence(connection)],
  lastRow: (tables, { connection }) =>
    tables.map((table) => Number(connection.sql(lastRow[table]).get()?.["last"])),
  outcome: (keys, { connection, workspace }) =>
    forKeys(
      keys,
      select(
        connection,
        (among) => `SELECT key AS k, fingerprint, outcome FROM idempotency WHERE key ${among} AND scope = ?`,
        keys,
        onceScope(workspace),
      ),
      (row) => row && { fingerprint: String(row["fingerprint"]), outcome: parseColumn(row["outcome"]) },
    ),
  workspace: (_, { connection, workspace }) => {
    const row = connection
      .sql(`SELECT w.wid, w.project_guard, ${branchColumns} FROM memory_workspaces w
            LEFT JOIN memory_branches b ON b.bid = w.checkout WHERE w.name = ?`)
      .get(workspace);
    return [
      row && {
        wid: Number(row["wid"]),
        checkout: row["bid"] === null ? undefined : decodeBranch(row),
        projectGuard: typeof row["project_guard"] === "string" ? row["project_guard"] : undefined,
      },
    ];
  },
  branch: (names, { connection, wid }) =>
    forKeys(
      names,
      select(
        connection,
        (among) =>
          `SELECT b.name AS k, ${branchColumns} FROM memory_branches b
           WHERE b.name ${among} AND b.wid = ? AND b.deleted_at_ms IS NULL`,
        names,
        wid,
      ),
      (row) => row && decodeBranch(row),
    ),
  doc: (names, { connection, wid }) =>
    forKeys(
      names,
      select(
        connection,
        (among) => `SELECT name AS k, doc FROM memory_docs WHERE name ${among} AND wid = ?`,
        names,
        wid,
      ),
      (row) => row && Number(row["doc"]),
    ),
  log: (names, where) => streams(names, where, "log"),
  graph: (names, where) => streams(names, where, "graph"),
  lineage: (bids, { connection }) => bids.map((bid) => readLineage(connection, bid)),
  branchedAt: (bids, { connection }) =>
    forKeys(
      bids,
      select(
        connection,
        (among) =>
          `SELECT base AS k, max(base_seq) AS at FROM memory_branches WHERE base ${among} AND erased = 0 GROUP BY base`,
        bids,
      ),
      (row) => Number(row?.["at"] ?? 0),
    ),
  head: (keys, { connection, scope }) => loadHeads(connection, scope, keys),
  current: (keys, { connection, scope }) => loadCurrent(connection, scope, keys),
  edgesAt: (nodes, { connection, scope }) => loadEdgesAt(connection, scope, nodes),
  tally: (docs, { connection, scope }) => docs.map((doc) => loadTally(connection, scope, doc)),
  source: (sources, { connection, scope }) => loadSources(connection, scope, sources),
};

const lastRow = {
  workspace: "SELECT coalesce(max(wid), 0) AS last FROM memory_workspaces",
  branch: "SELECT coalesce(max(bid), 0) AS last FROM memory_branches",
  doc: "SELECT coalesce(max(doc), 0) AS last FROM memory_docs",
} as const;

export const branchColumns = `b.bid, b.uid, b.name, b.base, b.base_seq, b.depth, b.created_at_ms, b.deleted_at_ms`;

export function decodeBranch(row: Row): BranchRow {
  return {
    bid: Number(row["bid"]),
    uid: String(row["uid"]),
    name: String(row["name"]),
    base: typeof row["base"] === "number" ? row["base"] : undefined,
    baseSeq: Number(row["base_seq"]),
    depth: Number(row["depth"]),
    createdAtMs: Number(row["created_at_ms"]),
    deletedAtMs: typeof row["deleted_at_ms"] === "number" ? row["deleted_at_ms"] : undefined,
  };
}

function streams(
  names: readonly string[],
  { connection, wid, scope }: Where<{ bid: number }>,
  form: "log" | "graph",
): FactKinds["log"]["found"][] {
  const rows = select(
    connection,
    (among) =>
      `SELECT d.name AS k, d.doc, s.first_seq FROM memory_docs d
       LEFT JOIN memory_streams s ON s.doc = d.doc AND s.bid = ?2 AND s.form = ?3
       WHERE d.name ${among} AND d.wid = ?4`,
    names,
    scope.bid,
    form,
    wid,
  );
  return forKeys(names, rows, (row) => ({
    doc: row && Number(row["doc"]),
    isOpen: row !== undefined && row["first_seq"] !== null,
  }));
}

/** One statement for any number of keys, which are its first parameter; a single one needs no list. */
function select(
  { sql }: Connection,
  text: (among: string) => string,
  keys: readonly (string | number)[],
  ...rest: readonly SqlValue[]
): Row[] {
  const [first] = keys;
  if (keys.length === 1 && first !== undefined) return sql(text("= ?1")).all(first, ...rest);
  return sql(text("IN (SELECT value FROM json_each(?1))")).all(JSON.stringify(keys), ...rest);
}

/** In the order of the keys; rows say in `k` which of them they belong to. */
function forKeys<Found>(
  keys: readonly (string | number)[],
  rows: readonly Row[],
  decode: (row: Row | undefined) => Found,
): Found[] {
  if (keys.length === 1) return [decode(rows[0])];
  const byKey = new Map(rows.map((row) => [row["k"], row]));
  return keys.map((key) => decode(byKey.get(key)));
}

export const loadFacts: MemoryRows<Connection>["loadFacts"] = (connection, needs) => {
  const wids = new Map<string, number>();
  const found = new Map<Need, readonly unknown[]>();
  const load = (need: Need, wid: number) => {
    const { kind, keys, scope, workspace } = need;
    const loader = loaders[kind] as (keys: readonly unknown[], where: Where<unknown>) => readonly unknown[];
    const rows = loader(keys, { connection, workspace, wid, scope });
    found.set(need, rows);
    return rows;
  };
  for (const need of needs)
    if (need.kind === "workspace") {
      const [row] = load(need, 0) as [FactKinds["workspace"]["found"]];
      wids.set(need.workspace, row?.wid ?? 0);
    }
  return needs.map((need) => found.get(need) ?? load(need, need.wid ?? wids.get(need.workspace) ?? 0));
};

/** The branch and its bases, with what of each it shows. */
export function readLineage({ sql }: Connection, bid: number) {
  const rows = sql(`WITH RECURSIVE chain (bid, base, base_seq, step) AS (
      SELECT bid, base, base_seq, 0 FROM memory_branches WHERE bid = ?1
      UNION ALL
      SELECT b.bid, b.base, b.base_seq, step + 1 FROM chain JOIN memory_branches b ON b.bid = chain.base
    ) SELECT bid, base, base_seq, (SELECT first_seq FROM graph_merges WHERE into_bid = ?1 AND published = 0) AS staged
      FROM chain ORDER BY step`).all(bid);
  const links = rows.map(
    (row): Link => ({
      branch: Number(row["bid"]),
      base: typeof row["base"] === "number" ? row["base"] : undefined,
      baseSeq: Number(row["base_seq"]),
    }),
  );
  // What a merge has staged on the branch is ahead of the counter, and nobody sees it before it is published.
  const staged = rows[0]?.["staged"];
  return lineageOf(links, typeof staged === "number" ? staged - 1 : endOfTime);
}
