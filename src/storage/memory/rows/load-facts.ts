import { onceScopes } from "../../../domain/ledger/requests.ts";
import type {
  FactKind,
  FactKinds,
  Form,
  Need,
  Sequence,
  StreamRow,
} from "../../../domain/memory/steps/rows.ts";
import type { Job } from "../../../domain/tasks/job.ts";
import { branchColumns, decodeAnyTag, decodeBranch, decodeEntry } from "../../rows/memory-rows.ts";
import { parseColumn, type Row } from "../../rows/row.ts";
import { areCarried, listAnchors } from "../anchors.ts";
import { findDeletedBranch, readLineages } from "../places.ts";
import { all, each, get, type Query, tell, type Value } from "../query.ts";
import { selectAnyTag } from "../refs.ts";
import { isOpenItem, readStepsOfEach } from "../tasks.ts";
import {
  loadCurrent,
  loadEdgesAt,
  loadHeads,
  loadRefs,
  loadSourcesOfEach,
  loadTallies,
  perScope,
} from "./graph-facts.ts";

/** `wid` is 0 if the workspace does not exist. No facts are found then. */
type Where = { workspace: string; wid: number };

type Loader<Kind extends FactKind> = (
  keys: readonly FactKinds[Kind]["key"][],
  where: Where,
) => Query<readonly FactKinds[Kind]["found"][]>;

/** Kinds whose keys belong to a branch or a graph. One statement serves any number of these keys. */
type ScopedKind = { [Kind in FactKind]: FactKinds[Kind]["scope"] extends undefined ? never : Kind }[FactKind];
type ScopedNeed<Kind extends ScopedKind> = Where & {
  scope: FactKinds[Kind]["scope"];
  keys: readonly FactKinds[Kind]["key"][];
};
type ScopedLoader<Kind extends ScopedKind> = (
  needs: readonly ScopedNeed<Kind>[],
) => Query<readonly (readonly FactKinds[Kind]["found"][])[]>;

/** A statement that takes one key or many as its first parameter. */
type Keyed = { one: string; many: string };

/** Builds a lookup's two statements. Call it once per lookup, because V8 must hash each new string. */
const keyed = (kind: "TEXTS" | "NUMBERS", text: (among: string) => string): Keyed => ({
  one: text("= ?1"),
  many: text(`IN ${kind}(?1)`),
});
const byText = (text: (among: string) => string) => keyed("TEXTS", text);
const byNumber = (text: (among: string) => string) => keyed("NUMBERS", text);

const outcomesByKey = byText(
  (among) =>
    `SELECT i.key AS k, i.fingerprint, i.outcome FROM {idempotency} i WHERE i.key ${among} AND i.scope = ?2`,
);
const branchesByName = byText(
  (among) => `SELECT b.name AS k, ${branchColumns} FROM {memory_branches} b
    WHERE b.name ${among} AND b.wid = ?2 AND b.deleted_at_ms IS NULL`,
);
const branchesByNumber = byNumber(
  (among) => `SELECT b.bid AS k, ${branchColumns} FROM {memory_branches} b WHERE b.bid ${among}`,
);
const branchesByUid = byText(
  (among) =>
    `SELECT b.uid AS k, ${branchColumns} FROM {memory_branches} b WHERE b.uid ${among} AND b.wid = ?2`,
);
const docsByName = byText(
  (among) => `SELECT d.name AS k, d.doc FROM {memory_docs} d WHERE d.name ${among} AND d.wid = ?2`,
);
const branchedAt = byNumber(
  (
    among,
  ) => `SELECT b.base AS k, max(b.base_seq) AS at FROM {memory_branches} b WHERE b.base ${among} AND b.erased = 0
    GROUP BY b.base`,
);
const commitsBySeq = byNumber(
  (
    among,
  ) => `SELECT e.seq AS k, e.*, c.parent, b.name AS branch_name, d.name AS doc_name FROM {memory_commits} c
    JOIN {memory_entries} e ON e.seq = c.seq JOIN {memory_branches} b ON b.bid = e.bid AND b.deleted_at_ms IS NULL
    JOIN {memory_docs} d ON d.doc = e.doc AND d.wid = ?2 WHERE c.seq ${among}`,
);
const entriesBySeq = byNumber(
  (among) => `SELECT e.seq AS k, c.seq AS committed FROM {memory_entries} e
    JOIN {memory_docs} d ON d.doc = e.doc AND d.wid = ?2 LEFT JOIN {memory_commits} c ON c.seq = e.seq WHERE e.seq ${among}`,
);
const tagsByName = byText((among) => `${selectAnyTag} WHERE t.name ${among} AND t.wid = ?2`);
const counters = byText(
  (among) => `SELECT c.name AS k, c.value FROM {memory_counters} c WHERE c.name ${among} AND c.wid = ?2`,
);
const heardOf = byText(
  (among) => `SELECT a.key AS k, a.at_ms FROM {memory_agents} a WHERE a.key ${among} AND a.wid = ?2`,
);
const takenBy = byNumber(
  (
    among,
  ) => `SELECT a.bid AS k, max(a.at_ms) AS at_ms FROM {memory_agents} a WHERE a.bid ${among} AND a.wid = ?2
    GROUP BY a.bid`,
);
const openTasksOf = byText(
  (among) => `SELECT i.parent AS k, count(*) AS open FROM {task_items} i
    WHERE i.parent ${among} AND i.wid = ?2 AND ${isOpenItem} GROUP BY i.parent`,
);
const streamsByDoc = byText(
  (among) => `SELECT d.name AS k, d.doc, s.first_seq FROM {memory_docs} d
    LEFT JOIN {memory_streams} s ON s.doc = d.doc AND s.bid = ?2 AND s.form = ?3 WHERE d.name ${among} AND d.wid = ?4`,
);
/** Returns statements for rows that are stored entirely as JSON. */
const bodiesBy = (table: string, column: string): Keyed =>
  byText(
    (among) => `SELECT t.${column} AS k, t.body FROM {${table}} t WHERE t.${column} ${among} AND t.wid = ?2`,
  );
const itemsById = bodiesBy("task_items", "id");
const jobsById = bodiesBy("task_jobs", "id");
const runnersById = bodiesBy("task_runners", "runner_id");

/** Returns results in the order of the keys. The `k` column contains a row's key. A single key needs no list. */
function* forKeys<Found>(
  { one, many }: Keyed,
  keys: readonly (string | number)[],
  others: readonly Value[],
  decode: (row: Row | undefined) => Found,
): Query<Found[]> {
  const [first] = keys;
  if (keys.length === 1 && first !== undefined) {
    return [decode((yield { text: one, values: [first, ...others], want: "get" }) as Row | undefined)];
  }
  const rows = (yield { text: many, values: [keys, ...others], want: "all" }) as Row[];
  const byKey = new Map(rows.map((row) => [row["k"], row]));
  return keys.map((key) => decode(byKey.get(key)));
}

const branchIn = (row: Row | undefined) => row && decodeBranch(row);
const heardIn = (row: Row | undefined) => row && Number(row["at_ms"]);
const bodyIn = (row: Row | undefined) => row && parseColumn<never>(row["body"]);

const workspaceByName = `SELECT w.wid, w.project_guard, ${branchColumns} FROM {memory_workspaces} w
  LEFT JOIN {memory_branches} b ON b.bid = w.checkout WHERE w.name = ?`;
const branchOrFirst = `SELECT ${branchColumns} FROM {memory_branches} b WHERE b.wid = ? AND b.deleted_at_ms IS NULL
  ORDER BY b.uid <> ?, b.bid LIMIT 1`;
const jobsWaiting = (which: string): string =>
  `SELECT j.body FROM {task_jobs} j WHERE j.wid = ? AND ${which} ORDER BY j.rank, j.number LIMIT 1`;
const nextQueued = jobsWaiting("j.status = 'QUEUED'");
const nextExpired = jobsWaiting("j.status = 'RUNNING' AND j.lease_expires_at_ms <= ?");
const lastRow = {
  workspace: "SELECT coalesce(max(w.wid), 0) AS last FROM {memory_workspaces} w",
  branch: "SELECT coalesce(max(b.bid), 0) AS last FROM {memory_branches} b",
  doc: "SELECT coalesce(max(d.doc), 0) AS last FROM {memory_docs} d",
} as const;

const loaders: { [Kind in Exclude<FactKind, ScopedKind>]: Loader<Kind> } = {
  *sequence() {
    return [(yield { sequence: "read" }) as Sequence];
  },
  lastRow: (tables) =>
    each(tables, function* (table) {
      return Number((yield* get(lastRow[table]))?.["last"]);
    }),
  outcome: (keys, { workspace }) =>
    forKeys(
      ...[outcomesByKey, keys, [onceScopes.workspace(workspace)]],
      (row) => row && { fingerprint: String(row["fingerprint"]), outcome: parseColumn(row["outcome"]) },
    ),
  *workspace(_, { workspace }) {
    return [decodeWorkspace(yield { text: workspaceByName, values: [workspace], want: "get" })];
  },
  branch: (names, { wid }) => forKeys(branchesByName, names, [wid], branchIn),
  branchById: (bids) => forKeys(branchesByNumber, bids, [], branchIn),
  branchByUid: (uids, { wid }) => forKeys(branchesByUid, uids, [wid], branchIn),
  branchToShow: (uids, { wid }) =>
    each(uids, function* (uid) {
      return branchIn(yield* get(branchOrFirst, wid, uid));
    }),
  deletedBranch: (names, where) => each(names, (name) => findDeletedBranch(where, name)),
  doc: (names, { wid }) => forKeys(docsByName, names, [wid], (row) => row && Number(row["doc"])),
  lineage: (bids) => readLineages(bids),
  branchedAt: (bids) => forKeys(branchedAt, bids, [], (row) => Number(row?.["at"] ?? 0)),
  commit: (seqs, { wid }) =>
    forKeys(
      ...[commitsBySeq, seqs, [wid]],
      (row) =>
        row && {
          ...decodeEntry(row),
          parent: typeof row["parent"] === "number" ? row["parent"] : undefined,
          bid: Number(row["bid"]),
        },
    ),
  recorded: (seqs, { wid }) =>
    forKeys(entriesBySeq, seqs, [wid], (row) => row && { isCommit: row["committed"] !== null }),
  tag: (names, { wid }) => forKeys(tagsByName, names, [wid], (row) => row && decodeAnyTag(row)),
  counter: (names, { wid }) => forKeys(counters, names, [wid], (row) => Number(row?.["value"] ?? 0)),
  heard: (keys, { wid }) => forKeys(heardOf, keys, [wid], heardIn),
  taken: (bids, { wid }) => forKeys(takenBy, bids, [wid], heardIn),
  item: (ids, { wid }) => forKeys(itemsById, ids, [wid], bodyIn),
  steps: (tasks, where) => readStepsOfEach(where, tasks),
  openTasks: (plans, { wid }) => forKeys(openTasksOf, plans, [wid], (row) => Number(row?.["open"] ?? 0)),
  job: (ids, { wid }) => forKeys(jobsById, ids, [wid], bodyIn),
  nextJob: (keys, { wid }) =>
    each(keys, function* (key) {
      const row = key === "queued" ? yield* get(nextQueued, wid) : yield* get(nextExpired, wid, key);
      return row && parseColumn<Job>(row["body"]);
    }),
  runner: (ids, { wid }) => forKeys(runnersById, ids, [wid], bodyIn),
  *anchors(_, where) {
    return [yield* listAnchors(where)];
  },
  *carried(tags, where) {
    // Versions that this transaction has written count as published.
    yield* tell({ sequence: "tell" });
    return yield* areCarried(where, tags);
  },
};

const scopedLoaders: { [Kind in ScopedKind]: ScopedLoader<Kind> } = {
  log: (needs) => loadStreams(needs, "log"),
  graph: (needs) => loadStreams(needs, "graph"),
  head: loadHeads,
  current: loadCurrent,
  edgesAt: loadEdgesAt,
  tally: loadTallies,
  ref: loadRefs,
  source: loadSourcesOfEach,
};

const streamsInBranches = `SELECT l.nth, d.doc, s.first_seq FROM LIST(?1, wid number, bid number, name text) l
  CROSS JOIN {memory_docs} d ON d.wid = l.wid AND d.name = l.name
  LEFT JOIN {memory_streams} s ON s.doc = d.doc AND s.bid = l.bid AND s.form = ?2`;

const streamIn = (row: Row | undefined): StreamRow => ({
  doc: row && Number(row["doc"]),
  isOpen: row !== undefined && row["first_seq"] !== null,
});

function* loadStreams(needs: readonly ScopedNeed<Form>[], form: Form): Query<readonly StreamRow[][]> {
  const [only] = needs;
  if (only && needs.length === 1)
    return [yield* forKeys(streamsByDoc, only.keys, [only.scope.bid, form, only.wid], streamIn)];
  const places = needs.flatMap(({ wid, scope, keys }) => keys.map((name) => [wid, scope.bid, name]));
  const rows = yield* all(streamsInBranches, JSON.stringify(places), form);
  const byPlace = new Map(rows.map((row) => [Number(row["nth"]), row]));
  return perScope(
    needs,
    places.map((_, place) => streamIn(byPlace.get(place))),
  );
}

type FoundWorkspace = FactKinds["workspace"]["found"];

function decodeWorkspace(found: unknown): FoundWorkspace {
  const row = found as Row | undefined;
  return (
    row && {
      wid: Number(row["wid"]),
      checkout: row["bid"] === null ? undefined : decodeBranch(row),
      projectGuard: typeof row["project_guard"] === "string" ? row["project_guard"] : undefined,
    }
  );
}

/**
 * Returns the results for each need, in the order of its keys. Reads workspaces first, because the other
 * statements need their numbers. Sends all other statements in one batch.
 */
export function* loadFacts(needs: readonly Need[]): Query<readonly (readonly unknown[])[]> {
  const workspaces = needs.some(isWorkspace)
    ? yield* loadWorkspaces(needs.filter(isWorkspace))
    : noWorkspaces;
  const facts: (readonly unknown[])[] = [];
  const queries: Query<readonly unknown[]>[] = [];
  /** The need or needs that each query serves. */
  const places: (number | readonly number[])[] = [];
  const scoped = new Map<ScopedKind, number[]>();
  for (let n = 0; n < needs.length; n += 1) {
    const need = needs[n] as Need;
    const { kind, keys } = need;
    const known = factsWithin(workspaces.get(need.workspace), need);
    facts.push(known ?? []);
    if (known) continue;
    if (isScoped(kind)) {
      const same = scoped.get(kind);
      if (same) same.push(n);
      else scoped.set(kind, [n]);
      continue;
    }
    places.push(n);
    queries.push((loaders[kind] as AnyLoader)(keys, whereOf(need, workspaces)));
  }
  for (const [kind, group] of scoped) {
    const scopes = group.map((n) => {
      const need = needs[n] as Need;
      return { ...whereOf(need, workspaces), scope: need.scope, keys: need.keys };
    });
    places.push(group);
    queries.push((scopedLoaders[kind] as AnyScopedLoader)(scopes));
  }
  if (queries.length === 0) return facts;
  const loaded = (yield { together: queries }) as (readonly unknown[])[];
  for (let at = 0; at < places.length; at += 1) {
    const [place, found] = [places[at], loaded[at] ?? []];
    if (typeof place === "number") facts[place] = found;
    else for (const [nth, n] of place?.entries() ?? []) facts[n] = found[nth] as readonly unknown[];
  }
  return facts;
}

type Workspaces = ReadonlyMap<string, FoundWorkspace>;
const noWorkspaces: Workspaces = new Map();
const isWorkspace = ({ kind }: Need): boolean => kind === "workspace";

function* loadWorkspaces(needs: readonly Need[]): Query<Workspaces> {
  const found = yield* each(needs, (need) => loaders.workspace([""], whereOf(need, noWorkspaces)));
  return new Map(needs.map(({ workspace }, n) => [workspace, found[n]?.[0]]));
}

/** Returns known facts without a query. Most calls use the checked-out branch, read with its workspace. */
function factsWithin(workspace: FoundWorkspace, { kind, keys }: Need): readonly unknown[] | undefined {
  if (kind === "workspace") return [workspace];
  const checkout = kind === "branch" && keys.length === 1 ? workspace?.checkout : undefined;
  return checkout && checkout.name === keys[0] ? [checkout] : undefined;
}

const isScoped = (kind: FactKind): kind is ScopedKind => kind in scopedLoaders;

const whereOf = ({ wid, workspace }: Need, workspaces: Workspaces): Where => ({
  workspace,
  wid: wid ?? workspaces.get(workspace)?.wid ?? 0,
});

type AnyLoader = (keys: readonly unknown[], where: Where) => Query<readonly unknown[]>;
type AnyScopedLoader = (needs: readonly unknown[]) => Query<readonly (readonly unknown[])[]>;
