import { onceScopes } from "../../../../domain/ledger/requests.ts";
import type { BranchRow, FactKind, FactKinds, Need } from "../../../../domain/memory/steps/rows.ts";
import type { Job } from "../../../../domain/tasks/job.ts";
import { branchColumns, decodeAnyTag, decodeBranch, decodeEntry } from "../../../rows/memory-rows.ts";
import { parseColumn, type Row } from "../../../rows/row.ts";
import type { WriteConnection } from "../../connection/access.ts";
import type { Value } from "../../connection/statements.ts";
import { findDeletedBranch, readLineages } from "../places.ts";
import { isCarried, listAnchors } from "../reads/anchors.ts";
import { selectAnyTag } from "../reads/refs.ts";
import { readSteps } from "../reads/task-rows.ts";
import { loadCurrent, loadEdgesAt, loadHeads, loadRef, loadSources, loadTally } from "./graph-facts.ts";

/** `wid` is 0 where there is no such workspace: then nothing is found. */
type Where<Scope> = { connection: WriteConnection; workspace: string; wid: number; scope: Scope };

type Loader<Kind extends FactKind> = (
  keys: readonly FactKinds[Kind]["key"][],
  where: Where<FactKinds[Kind]["scope"]>,
) => Promise<readonly FactKinds[Kind]["found"][]>;

const [byText, byNumber] = ["= ANY (?1::text[])", "= ANY (?1::bigint[])"];

const outcomesByKey = `SELECT key AS k, fingerprint, outcome FROM {idempotency} i WHERE key ${byText} AND scope = ?2`;
const branchesByName = `SELECT b.name AS k, ${branchColumns} FROM {memory_branches} b
  WHERE b.name ${byText} AND b.wid = ?2 AND b.deleted_at_ms IS NULL`;
const branchesByNumber = `SELECT b.bid AS k, ${branchColumns} FROM {memory_branches} b WHERE b.bid ${byNumber}`;
const branchesByUid = `SELECT b.uid AS k, ${branchColumns} FROM {memory_branches} b WHERE b.uid ${byText} AND b.wid = ?2`;
const docsByName = `SELECT name AS k, doc FROM {memory_docs} d WHERE name ${byText} AND wid = ?2`;
const branchedAt = `SELECT base AS k, max(base_seq) AS at FROM {memory_branches} b
  WHERE base ${byNumber} AND erased = 0 GROUP BY base`;
const commitsBySeq = `SELECT e.seq AS k, e.*, c.parent, b.name AS branch_name, d.name AS doc_name FROM {memory_commits} c
  JOIN {memory_entries} e ON e.seq = c.seq JOIN {memory_branches} b ON b.bid = e.bid AND b.deleted_at_ms IS NULL
  JOIN {memory_docs} d ON d.doc = e.doc AND d.wid = ?2 WHERE c.seq ${byNumber}`;
const entriesBySeq = `SELECT e.seq AS k, c.seq AS committed FROM {memory_entries} e
  JOIN {memory_docs} d ON d.doc = e.doc AND d.wid = ?2 LEFT JOIN {memory_commits} c ON c.seq = e.seq
  WHERE e.seq ${byNumber}`;
const tagsByName = `${selectAnyTag} WHERE t.name ${byText} AND t.wid = ?2`;
const counters = `SELECT name AS k, value FROM {memory_counters} c WHERE name ${byText} AND wid = ?2`;
const heardOf = `SELECT key AS k, at_ms FROM {memory_agents} a WHERE key ${byText} AND wid = ?2`;
const takenBy = `SELECT bid AS k, max(at_ms) AS at_ms FROM {memory_agents} a WHERE bid ${byNumber} AND wid = ?2
  GROUP BY bid`;
const openTasksOf = `SELECT parent AS k, count(*) AS open FROM {task_items} i
  WHERE parent ${byText} AND wid = ?2 AND status NOT IN ('DONE', 'CANCELED') GROUP BY parent`;
const streamsByDoc = `SELECT d.name AS k, d.doc, s.first_seq FROM {memory_docs} d
  LEFT JOIN {memory_streams} s ON s.doc = d.doc AND s.bid = ?2 AND s.form = ?3 WHERE d.name ${byText} AND d.wid = ?4`;
const bodiesOf = (table: string, column: string): string =>
  `SELECT ${column} AS k, body FROM {${table}} t WHERE ${column} ${byText} AND wid = ?2`;

/** One statement for any number of keys; rows say in `k` which of them they belong to. */
async function forKeys<Found>(
  { connection }: Where<unknown>,
  text: string,
  keys: readonly (string | number)[],
  others: readonly Value[],
  decode: (row: Row | undefined) => Found,
): Promise<Found[]> {
  const rows = await connection.sql(text).all([...new Set(keys)], ...others);
  const byKey = new Map(rows.map((row) => [row["k"], row]));
  return keys.map((key) => decode(byKey.get(key)));
}

const ifThere =
  <Found>(decode: (row: Row) => Found) =>
  (row: Row | undefined): Found | undefined =>
    row && decode(row);

const bodyOf = (row: Row | undefined) => row && parseColumn<never>(row["body"]);

const streams = (names: readonly string[], where: Where<{ bid: number }>, form: "log" | "graph") =>
  forKeys(where, streamsByDoc, names, [where.scope.bid, form, where.wid], (row) => ({
    doc: row && Number(row["doc"]),
    isOpen: row !== undefined && row["first_seq"] !== null,
  }));

const lastRow = {
  workspace: "SELECT coalesce(max(wid), 0) AS last FROM {memory_workspaces} w",
  branch: "SELECT coalesce(max(bid), 0) AS last FROM {memory_branches} b",
  doc: "SELECT coalesce(max(doc), 0) AS last FROM {memory_docs} d",
} as const;

const loaders: { [Kind in FactKind]: Loader<Kind> } = {
  sequence: async (_, { connection }) => [{ last: connection.last, mergeFrom: connection.mergeFrom }],
  lastRow: (tables, { connection }) =>
    Promise.all(tables.map(async (table) => Number((await connection.sql(lastRow[table]).get())?.["last"]))),
  outcome: (keys, where) =>
    forKeys(
      where,
      outcomesByKey,
      keys,
      [onceScopes.workspace(where.workspace)],
      ifThere((row) => ({
        fingerprint: String(row["fingerprint"]),
        outcome: parseColumn(row["outcome"]),
      })),
    ),
  workspace: async (_, { connection, workspace }) => {
    const row = await connection
      .sql(`SELECT w.wid, w.project_guard, ${branchColumns} FROM {memory_workspaces} w
        LEFT JOIN {memory_branches} b ON b.bid = w.checkout WHERE w.name = ?`)
      .get(workspace);
    return [
      row && {
        wid: Number(row["wid"]),
        checkout: row["bid"] === null ? undefined : decodeBranch(row),
        projectGuard: typeof row["project_guard"] === "string" ? row["project_guard"] : undefined,
      },
    ];
  },
  branch: (names, where) => forKeys(where, branchesByName, names, [where.wid], ifThere(decodeBranch)),
  branchById: (bids, where) => forKeys(where, branchesByNumber, bids, [], ifThere(decodeBranch)),
  branchByUid: (uids, where) => forKeys(where, branchesByUid, uids, [where.wid], ifThere(decodeBranch)),
  branchToShow: (uids, { connection, wid }) =>
    Promise.all(
      uids.map(async (uid) => {
        const row = await connection
          .sql(`SELECT ${branchColumns} FROM {memory_branches} b WHERE b.wid = ? AND b.deleted_at_ms IS NULL
            ORDER BY b.uid <> ?, b.bid LIMIT 1`)
          .get(wid, uid);
        return row && decodeBranch(row);
      }),
    ),
  deletedBranch: (names, where) => Promise.all(names.map((name) => findDeletedBranch(where, name))),
  doc: (names, where) =>
    forKeys(
      where,
      docsByName,
      names,
      [where.wid],
      ifThere((row) => Number(row["doc"])),
    ),
  log: (names, where) => streams(names, where, "log"),
  graph: (names, where) => streams(names, where, "graph"),
  lineage: (bids, { connection }) => readLineages(connection, bids),
  branchedAt: (bids, where) => forKeys(where, branchedAt, bids, [], (row) => Number(row?.["at"] ?? 0)),
  head: (keys, { connection, scope }) => loadHeads(connection, scope, keys),
  current: (keys, { connection, scope }) => loadCurrent(connection, scope, keys),
  edgesAt: (nodes, { connection, scope }) => loadEdgesAt(connection, scope, nodes),
  tally: (docs, { connection, scope }) =>
    Promise.all(docs.map((doc) => loadTally(connection, scope.lineage, doc))),
  ref: (docs, { connection, scope }) =>
    Promise.all(docs.map((doc) => loadRef(connection, scope.lineage, doc))),
  commit: (seqs, where) =>
    forKeys(
      where,
      commitsBySeq,
      seqs,
      [where.wid],
      ifThere((row) => ({
        ...decodeEntry(row),
        parent: typeof row["parent"] === "number" ? row["parent"] : undefined,
        bid: Number(row["bid"]),
      })),
    ),
  recorded: (seqs, where) =>
    forKeys(
      where,
      entriesBySeq,
      seqs,
      [where.wid],
      ifThere((row) => ({ isCommit: row["committed"] !== null })),
    ),
  tag: (names, where) => forKeys(where, tagsByName, names, [where.wid], ifThere(decodeAnyTag)),
  heard: (keys, where) =>
    forKeys(
      where,
      heardOf,
      keys,
      [where.wid],
      ifThere((row) => Number(row["at_ms"])),
    ),
  taken: (bids, where) =>
    forKeys(
      where,
      takenBy,
      bids,
      [where.wid],
      ifThere((row) => Number(row["at_ms"])),
    ),
  counter: (names, where) =>
    forKeys(where, counters, names, [where.wid], (row) => Number(row?.["value"] ?? 0)),
  item: (ids, where) => forKeys(where, bodiesOf("task_items", "id"), ids, [where.wid], bodyOf),
  steps: (tasks, where) => Promise.all(tasks.map((task) => readSteps(where, task))),
  openTasks: (plans, where) =>
    forKeys(where, openTasksOf, plans, [where.wid], (row) => Number(row?.["open"] ?? 0)),
  job: (ids, where) => forKeys(where, bodiesOf("task_jobs", "id"), ids, [where.wid], bodyOf),
  nextJob: (keys, { connection, wid }) =>
    Promise.all(
      keys.map(async (key) => {
        const isQueued = key === "queued";
        const condition = isQueued ? "status = 'QUEUED'" : "status = 'RUNNING' AND lease_expires_at_ms <= ?";
        const row = await connection
          .sql(`SELECT body FROM {task_jobs} j WHERE wid = ? AND ${condition} ORDER BY rank, number LIMIT 1`)
          .get(wid, ...(isQueued ? [] : [key]));
        return row && parseColumn<Job>(row["body"]);
      }),
    ),
  runner: (ids, where) => forKeys(where, bodiesOf("task_runners", "runner_id"), ids, [where.wid], bodyOf),
  anchors: async (_, where) => [await listAnchors(where)],
  carried: (tags, where) => Promise.all(tags.map((tag) => isCarried(where, tag))),
  source: (sources, { connection, scope }) => loadSources(connection, scope, sources),
};

/** Everything that is asked for at once travels together; only workspaces come first, because the rest needs their numbers. */
export async function loadFacts(
  connection: WriteConnection,
  needs: readonly Need[],
): Promise<readonly (readonly unknown[])[]> {
  const found: (readonly unknown[])[] = [];
  const wids = new Map<string, number>();
  const checkouts = new Map<string, BranchRow | undefined>();
  await Promise.all(
    needs.map(async ({ kind, workspace }, n) => {
      if (kind !== "workspace") return;
      const rows = await loaders.workspace([""], { connection, workspace, wid: 0, scope: undefined });
      wids.set(workspace, rows[0]?.wid ?? 0);
      checkouts.set(workspace, rows[0]?.checkout);
      found[n] = rows;
    }),
  );
  await Promise.all(
    needs.map(async ({ kind, keys, scope, workspace, wid }, n) => {
      found[n] ??=
        checkedOut(kind, keys, checkouts.get(workspace)) ??
        (await (loaders[kind] as AnyLoader)(keys, {
          connection,
          workspace,
          wid: wid ?? wids.get(workspace) ?? 0,
          scope,
        }));
    }),
  );
  return found;
}

/** Most calls write to the branch that is checked out, which came with its workspace. */
const checkedOut = (kind: FactKind, keys: readonly unknown[], checkout: BranchRow | undefined) =>
  kind === "branch" && keys.length === 1 && checkout && keys[0] === checkout.name ? [checkout] : undefined;

type AnyLoader = (keys: readonly unknown[], where: Where<unknown>) => Promise<readonly unknown[]>;
