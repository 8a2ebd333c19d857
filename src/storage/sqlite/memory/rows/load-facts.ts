import { onceScopes } from "../../../../domain/ledger/requests.ts";
import type { BranchRow, FactKind, FactKinds } from "../../../../domain/memory/steps/rows.ts";
import type { Job } from "../../../../domain/tasks/job.ts";
import type { MemoryRows } from "../../../../ports/memory/rows.ts";
import { branchColumns, decodeAnyTag, decodeBranch, decodeEntry } from "../../../rows/memory-rows.ts";
import { parseColumn, type Row, type SqlValue } from "../../connection/driver.ts";
import type { Connection } from "../../connection/open-database.ts";
import { readSequence } from "../../connection/sequence.ts";
import { findDeletedBranch } from "../branches.ts";
import { isCarried, listAnchors } from "../meaning-map/anchors.ts";
import { readLineages } from "../places.ts";
import { selectAnyTag } from "../refs/refs.ts";
import { readSteps } from "../tasks/task-rows.ts";
import { loadCurrent, loadEdgesAt, loadHeads, loadRef, loadSources, loadTally } from "./graph-facts.ts";

/** `wid` is 0 where there is no such workspace: then nothing is found. */
type Where<Scope> = { connection: Connection; workspace: string; wid: number; scope: Scope };

type Loader<Kind extends FactKind> = (
  keys: readonly FactKinds[Kind]["key"][],
  where: Where<FactKinds[Kind]["scope"]>,
) => readonly FactKinds[Kind]["found"][];

/** A statement for any number of keys, which are its first parameter. */
type Keyed = { one: string; many: string };

/** Put together once: a text that is made anew is hashed anew each time. */
const keyed = (text: (among: string) => string): Keyed => ({
  one: text("= ?1"),
  many: text("IN (SELECT value FROM json_each(?1))"),
});

const outcomesByKey = keyed(
  (among) => `SELECT key AS k, fingerprint, outcome FROM idempotency WHERE key ${among} AND scope = ?2`,
);
const branchesByName = keyed(
  (among) => `SELECT b.name AS k, ${branchColumns} FROM memory_branches b
           WHERE b.name ${among} AND b.wid = ?2 AND b.deleted_at_ms IS NULL`,
);
const branchesByNumber = keyed(
  (among) => `SELECT b.bid AS k, ${branchColumns} FROM memory_branches b WHERE b.bid ${among}`,
);
const branchesByUid = keyed(
  (among) => `SELECT b.uid AS k, ${branchColumns} FROM memory_branches b WHERE b.uid ${among} AND b.wid = ?2`,
);
const docsByName = keyed(
  (among) => `SELECT name AS k, doc FROM memory_docs WHERE name ${among} AND wid = ?2`,
);
const branchedAt = keyed(
  (among) =>
    `SELECT base AS k, max(base_seq) AS at FROM memory_branches WHERE base ${among} AND erased = 0 GROUP BY base`,
);
const commitsBySeq = keyed(
  (
    among,
  ) => `SELECT e.seq AS k, e.*, c.parent, b.name AS branch_name, d.name AS doc_name FROM memory_commits c
           JOIN memory_entries e ON e.seq = c.seq JOIN memory_branches b ON b.bid = e.bid AND b.deleted_at_ms IS NULL
           JOIN memory_docs d ON d.doc = e.doc AND d.wid = ?2 WHERE c.seq ${among}`,
);
const entriesBySeq = keyed(
  (
    among,
  ) => `SELECT e.seq AS k, c.seq AS committed FROM memory_entries e JOIN memory_docs d ON d.doc = e.doc AND d.wid = ?2
           LEFT JOIN memory_commits c ON c.seq = e.seq WHERE e.seq ${among}`,
);
const tagsByName = keyed((among) => `${selectAnyTag} WHERE t.name ${among} AND t.wid = ?2`);
const counters = keyed(
  (among) => `SELECT name AS k, value FROM memory_counters WHERE name ${among} AND wid = ?2`,
);
const heardOf = keyed((among) => `SELECT key AS k, at_ms FROM memory_agents WHERE key ${among} AND wid = ?2`);
const takenBy = keyed(
  (among) =>
    `SELECT bid AS k, max(at_ms) AS at_ms FROM memory_agents WHERE bid ${among} AND wid = ?2 GROUP BY bid`,
);
const openTasksOf = keyed(
  (among) => `SELECT parent AS k, count(*) AS open FROM task_items
           WHERE parent ${among} AND wid = ?2 AND status NOT IN ('DONE', 'CANCELED') GROUP BY parent`,
);
const streamsByDoc = keyed(
  (among) => `SELECT d.name AS k, d.doc, s.first_seq FROM memory_docs d
       LEFT JOIN memory_streams s ON s.doc = d.doc AND s.bid = ?2 AND s.form = ?3
       WHERE d.name ${among} AND d.wid = ?4`,
);

const bodyBy = (table: string, column: string): Keyed =>
  keyed((among) => `SELECT ${column} AS k, body FROM ${table} WHERE ${column} ${among} AND wid = ?2`);
/** Rows of which the whole is kept as JSON. */
const bodiesOf = {
  task_items: bodyBy("task_items", "id"),
  task_jobs: bodyBy("task_jobs", "id"),
  task_runners: bodyBy("task_runners", "runner_id"),
};

/** A single key needs no list. */
function select(
  { sql }: Connection,
  { one, many }: Keyed,
  keys: readonly (string | number)[],
  ...others: readonly SqlValue[]
): Row[] {
  const [first] = keys;
  if (keys.length === 1 && first !== undefined) return sql(one).all(first, ...others);
  return sql(many).all(JSON.stringify(keys), ...others);
}

const loaders: { [Kind in FactKind]: Loader<Kind> } = {
  sequence: (_, { connection }) => [readSequence(connection)],
  lastRow: (tables, { connection }) =>
    tables.map((table) => Number(connection.sql(lastRow[table]).get()?.["last"])),
  outcome: (keys, { connection, workspace }) =>
    forKeys(
      keys,
      select(connection, outcomesByKey, keys, onceScopes.workspace(workspace)),
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
    forKeys(names, select(connection, branchesByName, names, wid), (row) => row && decodeBranch(row)),
  branchById: (bids, { connection }) =>
    forKeys(bids, select(connection, branchesByNumber, bids), (row) => row && decodeBranch(row)),
  branchByUid: (uids, { connection, wid }) =>
    forKeys(uids, select(connection, branchesByUid, uids, wid), (row) => row && decodeBranch(row)),
  branchToShow: (uids, { connection, wid }) =>
    uids.map((uid) => {
      const row = connection
        .sql(`SELECT ${branchColumns} FROM memory_branches b WHERE b.wid = ? AND b.deleted_at_ms IS NULL
              ORDER BY b.uid <> ?, b.bid LIMIT 1`)
        .get(wid, uid);
      return row && decodeBranch(row);
    }),
  deletedBranch: (names, { connection, wid }) =>
    names.map((name) => findDeletedBranch({ connection, wid }, name)),
  doc: (names, { connection, wid }) =>
    forKeys(names, select(connection, docsByName, names, wid), (row) => row && Number(row["doc"])),
  log: (names, where) => streams(names, where, "log"),
  graph: (names, where) => streams(names, where, "graph"),
  lineage: (bids, { connection }) => readLineages(connection, bids),
  branchedAt: (bids, { connection }) =>
    forKeys(bids, select(connection, branchedAt, bids), (row) => Number(row?.["at"] ?? 0)),
  head: (keys, { connection, scope }) => loadHeads(connection, scope, keys),
  current: (keys, { connection, scope }) => loadCurrent(connection, scope, keys),
  edgesAt: (nodes, { connection, scope }) => loadEdgesAt(connection, scope, nodes),
  tally: (docs, { connection, scope }) => docs.map((doc) => loadTally(connection, scope, doc)),
  ref: (docs, { connection, scope }) => docs.map((doc) => loadRef(connection, scope, doc)),
  commit: (seqs, { connection, wid }) =>
    forKeys(
      seqs,
      select(connection, commitsBySeq, seqs, wid),
      (row) =>
        row && {
          ...decodeEntry(row),
          parent: typeof row["parent"] === "number" ? row["parent"] : undefined,
          bid: Number(row["bid"]),
        },
    ),
  recorded: (seqs, { connection, wid }) =>
    forKeys(
      seqs,
      select(connection, entriesBySeq, seqs, wid),
      (row) => row && { isCommit: row["committed"] !== null },
    ),
  tag: (names, { connection, wid }) =>
    forKeys(names, select(connection, tagsByName, names, wid), (row) => row && decodeAnyTag(row)),
  counter: (names, { connection, wid }) =>
    forKeys(names, select(connection, counters, names, wid), (row) => Number(row?.["value"] ?? 0)),
  heard: (keys, { connection, wid }) =>
    forKeys(keys, select(connection, heardOf, keys, wid), (row) => row && Number(row["at_ms"])),
  taken: (bids, { connection, wid }) =>
    forKeys(bids, select(connection, takenBy, bids, wid), (row) => row && Number(row["at_ms"])),
  item: (ids, where) => bodies("task_items", ids, where),
  steps: (tasks, { connection, wid }) => tasks.map((task) => readSteps({ connection, wid }, task)),
  openTasks: (plans, { connection, wid }) =>
    forKeys(plans, select(connection, openTasksOf, plans, wid), (row) => Number(row?.["open"] ?? 0)),
  job: (ids, where) => bodies("task_jobs", ids, where),
  nextJob: (keys, { connection, wid }) =>
    keys.map((key) => {
      const [condition, parameters] =
        key === "queued"
          ? ["status = 'QUEUED'", []]
          : ["status = 'RUNNING' AND lease_expires_at_ms <= ?", [key]];
      const row = connection
        .sql(`SELECT body FROM task_jobs WHERE wid = ? AND ${condition} ORDER BY rank, number LIMIT 1`)
        .get(wid, ...parameters);
      return row && parseColumn<Job>(row["body"]);
    }),
  runner: (ids, where) => bodies("task_runners", ids, where),
  anchors: (_, { connection, wid }) => [listAnchors({ connection, wid })],
  carried: (tags, { connection, wid }) => tags.map((tag) => isCarried({ connection, wid }, tag)),
  source: (sources, { connection, scope }) => loadSources(connection, scope, sources),
};

const lastRow = {
  workspace: "SELECT coalesce(max(wid), 0) AS last FROM memory_workspaces",
  branch: "SELECT coalesce(max(bid), 0) AS last FROM memory_branches",
  doc: "SELECT coalesce(max(doc), 0) AS last FROM memory_docs",
} as const;

function streams(
  names: readonly string[],
  { connection, wid, scope }: Where<{ bid: number }>,
  form: "log" | "graph",
): FactKinds["log"]["found"][] {
  const rows = select(connection, streamsByDoc, names, scope.bid, form, wid);
  return forKeys(names, rows, (row) => ({
    doc: row && Number(row["doc"]),
    isOpen: row !== undefined && row["first_seq"] !== null,
  }));
}

function bodies<Body>(
  table: keyof typeof bodiesOf,
  ids: readonly string[],
  { connection, wid }: Where<undefined>,
): (Body | undefined)[] {
  const rows = select(connection, bodiesOf[table], ids, wid);
  return forKeys(ids, rows, (row) => row && parseColumn<Body>(row["body"]));
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
  const found: (readonly unknown[])[] = [];
  const wids = new Map<string, number>();
  const checkouts = new Map<string, BranchRow | undefined>();
  for (const [n, { kind, workspace }] of needs.entries()) {
    if (kind !== "workspace") continue;
    const rows = loaders.workspace([""], { connection, workspace, wid: 0, scope: undefined });
    wids.set(workspace, rows[0]?.wid ?? 0);
    checkouts.set(workspace, rows[0]?.checkout);
    found[n] = rows;
  }
  for (const [n, { kind, keys, scope, workspace, wid }] of needs.entries())
    found[n] ??=
      checkedOut(kind, keys, checkouts.get(workspace)) ??
      (loaders[kind] as AnyLoader)(keys, {
        connection,
        workspace,
        wid: wid ?? wids.get(workspace) ?? 0,
        scope,
      });
  return found;
};

/** Most calls write to the branch that is checked out, which came with its workspace. */
const checkedOut = (kind: FactKind, keys: readonly unknown[], checkout: BranchRow | undefined) =>
  kind === "branch" && keys.length === 1 && checkout && keys[0] === checkout.name ? [checkout] : undefined;

type AnyLoader = (keys: readonly unknown[], where: Where<unknown>) => readonly unknown[];
