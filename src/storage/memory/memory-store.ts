import type { AppendReceipt, AppendRequest } from "../../domain/ledger/requests.ts";
import { mergeLimits } from "../../domain/memory/limits.ts";
import { beyond } from "../../domain/memory/lineage.ts";
import type { StagedMerge } from "../../domain/memory/merge/large-merge.ts";
import { planNoteMerge } from "../../domain/memory/merge/merge-notes.ts";
import type { CommitCall } from "../../domain/memory/steps/commit-calls.ts";
import type { GraphMergeOutcome } from "../../domain/memory/steps/outcomes.ts";
import type { BranchRow } from "../../domain/memory/steps/rows.ts";
import type { MemoryStep, Outcomes } from "../../domain/memory/steps/step.ts";
import type { Clock } from "../../kernel/clock.ts";
import { createTurns } from "../../kernel/steps.ts";
import type { EventSink } from "../../ports/events.ts";
import type { BoardReads } from "../../ports/memory/board.ts";
import type { GraphReads, MergeOptions } from "../../ports/memory/graph.ts";
import type {
  AnchorReads,
  CardReads,
  CommitOptions,
  DocumentReads,
  MemoryStore,
  RefReads,
  WorkspaceReads,
} from "../../ports/memory/memory-store.ts";
import type { TaskReads } from "../../ports/memory/tasks.ts";
import { carriedAnchorTags, hasCarried, linkedCards, listAnchors } from "./anchors.ts";
import { readSlice, selectCards } from "./cards.ts";
import type { Committed } from "./commit.ts";
import {
  listDocs,
  listHeard,
  listNotes,
  newestSeqBy,
  pageEntries,
  pageMarks,
  readEntriesAt,
  readEntry,
} from "./entries.ts";
import { edgesBeside, queryEdges } from "./graph/edge-query.ts";
import { findNode, readVersion } from "./graph/find-node.ts";
import { checkStride, type EdgeCursor, mergeHealth } from "./graph/graph-check.ts";
import { diffBranches } from "./graph/graph-diff.ts";
import { type NodeWords, queryNodes } from "./graph/graph-query.ts";
import { type GraphView, openView } from "./graph/graph-view.ts";
import { findWords, listVersions, queryGraphAt } from "./graph/past-graph.ts";
import { readSupport } from "./graph/support.ts";
import { askedOf, inPlace, previewMerge } from "./merge/answer-merge.ts";
import { conflictPlaces, findConflict, listConflicts } from "./merge/conflicts.ts";
import {
  createSweeper,
  type MergeRun,
  mergeInSlices,
  previewInSlices,
  type RunQuery,
} from "./merge/merge-in-slices.ts";
import {
  findBranch,
  findDeletedBranch,
  findDoc,
  findWorkspace,
  loadLineage,
  type Place,
  requireBranch,
  requireBranchIn,
} from "./places.ts";
import { type Query, together } from "./query.ts";
import { emptyBoard, readBoard } from "./read-board.ts";
import { listTags, readCommit, readLog, readRef, readReflog, readTag } from "./refs.ts";
import { loadSources } from "./rows/graph-facts.ts";
import {
  listItems,
  listJobs,
  readBody,
  readItem,
  readJobEvents,
  readOverview,
  readSteps,
  readTaskEvents,
} from "./tasks.ts";
import { listBranches, listWorkspaces, readActivity, readWorkspace, showBranch } from "./workspaces.ts";

/** Stores a thought and runs the call that `callFor` builds from its receipt, in one transaction. */
export type CommitWith = (
  request: AppendRequest,
  callFor: (receipt: AppendReceipt) => CommitCall,
) => Promise<{ receipt: AppendReceipt; committed: Committed }>;

const neverAborted = new AbortController().signal;

/** What a database implements for the memory. The rest is the same for all databases. */
export type MemoryDatabase = {
  /** Runs a query on one snapshot, even while others are writing. */
  read: RunQuery;
  /** Runs a query that has a single statement, which always sees one snapshot. */
  readOne: RunQuery;
  write: RunQuery;
  together: MemoryStore["together"];
  commit(call: CommitCall): Promise<Committed>;
  commitWith: CommitWith;
  words: NodeWords;
  /** Resolves once the words of all committed writes are indexed. */
  catchUpWords(): Promise<void>;
  /** Called after each commit. */
  onCommit(): void;
  schemaVersion: number;
};

export function createMemoryStore(database: MemoryDatabase, publish: EventSink, clock: Clock): MemoryStore {
  const find = createFinders(database.read);
  const runOf = createRuns(database, clock);
  return {
    together: database.together,
    ...writesOf(database, publish, runOf, clock),
    ...workspaceReads(database, find),
    ...documentReads(find),
    ...graphReads(database, find, runOf),
    ...cardReads(find),
    ...taskReads(find),
    ...refReads(find),
  };
}

type Finders = ReturnType<typeof createFinders>;

function createFinders(read: RunQuery) {
  /** Runs a query in a workspace. Returns `none` if the workspace was never written to. */
  const inWorkspace = <Result>(
    workspace: string,
    none: Result,
    find: (place: Place) => Query<Result>,
  ): Promise<Result> =>
    read(function* () {
      const place = yield* findWorkspace(workspace);
      return place ? yield* find(place) : none;
    });
  const onBranch = <Result>(
    workspace: string,
    name: string,
    find: (place: Place, branch: BranchRow) => Query<Result>,
  ): Promise<Result> =>
    read(function* () {
      const { place, branch } = yield* requireBranchIn(workspace, name);
      return yield* find(place, branch);
    });
  const inView = <Result>(
    workspace: string,
    { branch, doc }: { branch: string; doc: string },
    find: (view: GraphView) => Query<Result>,
  ): Promise<Result> =>
    onBranch(workspace, branch, function* (place, { bid }) {
      return yield* find(yield* openView(place, bid, doc));
    });
  return { inWorkspace, onBranch, inView };
}

/** Creates what a merge of many keys needs to run. */
const createRuns =
  ({ read, write }: MemoryDatabase, clock: Clock) =>
  ({ signal = neverAborted, onProgress = () => {} }: MergeOptions): MergeRun => {
    let done = 0;
    return {
      read,
      write,
      signal,
      nowMs: () => clock().getTime(),
      report: (keys, total) => {
        done += keys;
        onProgress(Math.floor(done), total);
      },
    };
  };

type Writes = Pick<MemoryStore, "commit" | "commitWith" | "mergeGraph">;

function writesOf(
  database: MemoryDatabase,
  publish: EventSink,
  runOf: ReturnType<typeof createRuns>,
  clock: Clock,
): Writes {
  const { read, write } = database;
  const sweepOnce = createSweeper({ read, write, nowMs: () => clock().getTime() });

  const callOf = (
    workspace: string,
    steps: readonly MemoryStep[],
    { at, once, projectGuard, project, agent, by, clearedFocus }: CommitOptions,
  ): CommitCall => ({ workspace, steps, at, once, projectGuard, project, agent, by, clearedFocus });

  /** Announces what a commit changed. */
  function conclude(workspace: string, { at }: CommitOptions, { outcomes, changes }: Committed) {
    database.onCommit();
    sweepOnce();
    const timestamp = at.toISOString();
    for (const { change } of changes) publish(Object.assign({}, change, { workspace, timestamp }));
    return outcomes;
  }

  const transact = async (workspace: string, steps: readonly MemoryStep[], options: CommitOptions) =>
    conclude(workspace, options, await database.commit(callOf(workspace, steps, options)));

  return {
    commit: (workspace, steps, options) =>
      transact(workspace, steps, options) as Promise<Outcomes<typeof steps>>,

    async commitWith(request, workspace, steps, options) {
      const { receipt, committed } = await database.commitWith(request, (given) =>
        callOf(workspace, steps(given), options),
      );
      return { receipt, outcomes: conclude(workspace, options, committed) };
    },

    async mergeGraph(workspace, merge, options) {
      const { at } = options;
      const step = { do: "merge_graph", ...merge } as const;
      const transaction = async (more: { atOnce: number } | { staged: StagedMerge }) => {
        const [outcome] = await transact(workspace, [{ ...step, ...more }], options);
        return outcome as GraphMergeOutcome | undefined;
      };
      const small = await transaction({ atOnce: mergeLimits.transaction });
      if (small) return small;
      return mergeInSlices(runOf(options), askedOf(workspace, merge), at, (staged) =>
        transaction({ staged }),
      );
    },
  };
}

const workspaceReads = (
  { read, readOne, schemaVersion }: MemoryDatabase,
  { inWorkspace }: Finders,
): WorkspaceReads => ({
  schemaVersion: async () => schemaVersion,
  readWorkspace: (name, reader) => readOne(() => readWorkspace(name, reader)),
  readActivity: (workspace) => inWorkspace(workspace, {}, readActivity),
  listWorkspaces: (limit, among) => read(() => listWorkspaces(limit, among)),
  listBranches: (workspace, page) => inWorkspace(workspace, [], (place) => listBranches(place, page)),
  readBranch: (workspace, name) =>
    inWorkspace(workspace, undefined, function* (place) {
      const branch = yield* findBranch(place, name);
      return branch && (yield* showBranch(branch));
    }),
  readDeletedBranch: (workspace, name) =>
    inWorkspace(workspace, undefined, function* (place) {
      const branch = yield* findDeletedBranch(place, name);
      return branch && (yield* showBranch(branch));
    }),
});

const documentReads = ({ inWorkspace, onBranch }: Finders): DocumentReads => ({
  readEntries: (workspace, { branch, doc, before, limit }) =>
    onBranch(workspace, branch, function* (place, { bid }) {
      const [number, lineage] = yield* together(findDoc(place, doc), loadLineage(bid));
      return yield* pageEntries(number, lineage, before, limit);
    }),
  readMarks: (workspace, { branch, doc, before, limit }) =>
    onBranch(workspace, branch, function* (place, { bid }) {
      const [number, lineage] = yield* together(findDoc(place, doc), loadLineage(bid));
      return yield* pageMarks(number, lineage, before, limit);
    }),
  readDifference: (workspace, { branch, without, doc, before, limit }) =>
    onBranch(workspace, branch, function* (place, { bid }) {
      const other = (yield* requireBranchIn(workspace, without)).branch;
      const [number, own, theirs] = yield* together(
        findDoc(place, doc),
        loadLineage(bid),
        loadLineage(other.bid),
      );
      return yield* pageEntries(number, beyond(own, theirs), before, limit);
    }),
  listNotes: (workspace, doc, limit) =>
    inWorkspace(workspace, { notes: [], total: 0 }, (place) => listNotes(place, doc, limit)),
  readEntry: (workspace, seq) => inWorkspace(workspace, undefined, (place) => readEntry(place, seq)),
  readEntriesAt: (workspace, seqs) => inWorkspace(workspace, [], (place) => readEntriesAt(place, seqs)),
  listHeard: (workspace, keys) =>
    inWorkspace<ReadonlyMap<string, number>>(workspace, new Map(), (place) => listHeard(place, keys)),
  newestSeqBy: (workspace, agent) => inWorkspace(workspace, 0, (place) => newestSeqBy(place, agent)),
  listDocs: (workspace, branch) => onBranch(workspace, branch, listDocs),
  previewNoteMerge: (workspace, merge) =>
    onBranch(workspace, merge.from, function* (place) {
      return (yield* inPlace(place, planNoteMerge(workspace, merge))).outcome;
    }),
  heldThoughts: (workspace, { branch, doc, sources }) =>
    onBranch(workspace, branch, function* (place, { bid }) {
      const [number, lineage] = yield* together(findDoc(place, doc), loadLineage(bid));
      if (number === undefined) return [];
      const found = yield* loadSources({ lineage, doc: number }, sources);
      return sources.filter((_, n) => found[n] !== undefined);
    }),
});

function graphReads(
  { words, catchUpWords }: MemoryDatabase,
  { inWorkspace, onBranch, inView }: Finders,
  runOf: ReturnType<typeof createRuns>,
): GraphReads {
  /**
   * Checks a graph that fits in one stride against one snapshot. In a larger graph, each stride has a
   * separate snapshot.
   */
  const checkGraph: MemoryStore["checkGraph"] = async (workspace, place, maxErrors, signal) => {
    const look = (from?: EdgeCursor) =>
      inView(workspace, place, (view) => checkStride(view, maxErrors, from));
    const turn = createTurns();
    let { health, after } = await look();
    while (after) {
      await turn();
      signal?.throwIfAborted();
      const next = await look(after);
      health = mergeHealth(health, next.health, maxErrors);
      after = next.after;
    }
    return health;
  };

  return {
    async queryNodes(workspace, query) {
      if (query.text !== undefined) await catchUpWords();
      return inView(workspace, query, (view) => queryNodes(view, query, words));
    },
    async queryGraph(workspace, query, edges) {
      const { asOf } = query;
      if (asOf !== undefined)
        return inView(workspace, query, (view) => queryGraphAt(view, { ...query, asOf }, edges));
      if (query.text !== undefined) await catchUpWords();
      return inView(workspace, query, function* (view) {
        const page = yield* queryNodes(view, query, words);
        return { ...page, edges: yield* edgesBeside(view, page.nodes, edges) };
      });
    },
    readSupport: (workspace, place, ids, limits) =>
      inView(workspace, place, (view) => readSupport(view, ids, limits)),
    queryEdges: (workspace, { branch, doc, ...query }) =>
      inView(workspace, { branch, doc }, (view) => queryEdges(view, query)),
    findNode: (workspace, branch, id, edgesLimit) =>
      inWorkspace(workspace, undefined, function* (place) {
        const found = yield* findNode(place, branch, id);
        if (!found) return undefined;
        const { bid } = yield* requireBranch(place, found.place.branch);
        const view = yield* openView(place, bid, found.place.doc);
        return {
          ...found,
          edges: yield* queryEdges(view, { ids: [id], ends: "touching", limit: edgesLimit }),
        };
      }),
    async findWords(workspace, stems, options) {
      await catchUpWords();
      return inWorkspace(workspace, [], (place) => findWords(place, words, stems, options));
    },
    listVersions: (workspace, query) =>
      inWorkspace(workspace, { versions: [], hasMore: false }, (place) => listVersions(place, query)),
    readVersion: (workspace, seq) => inWorkspace(workspace, undefined, (place) => readVersion(place, seq)),
    diffGraph: (workspace, difference) =>
      onBranch(workspace, difference.from, (place) => diffBranches(place, difference)),
    checkGraph,
    previewGraphMerge: async (workspace, merge, at, options = {}) =>
      (await onBranch(workspace, merge.from, (place) =>
        previewMerge(place, merge, at, mergeLimits.transaction),
      )) ?? previewInSlices(runOf(options), askedOf(workspace, merge), at),
    listConflicts: (workspace, page) => onBranch(workspace, page.into, (place) => listConflicts(place, page)),
    countOpenConflicts: (workspace) => inWorkspace(workspace, [], conflictPlaces),
    readConflict: (workspace, id) =>
      inWorkspace(workspace, undefined, function* (place) {
        return (yield* findConflict(place, id))?.conflict;
      }),
  };
}

const cardReads = ({ inWorkspace, inView }: Finders): CardReads & BoardReads & AnchorReads => ({
  selectCards: (workspace, place, filters) => inView(workspace, place, (view) => selectCards(view, filters)),
  readSlice: (workspace, place, plan) => inView(workspace, place, (view) => readSlice(view, plan)),
  readBoard: (workspace, query) => inWorkspace(workspace, emptyBoard, (place) => readBoard(place, query)),
  listAnchors: (workspace) => inWorkspace(workspace, [], listAnchors),
  linkedCards: (workspace, query) =>
    inWorkspace(workspace, { cards: [], total: 0, hasMore: false, goesOn: false }, (place) =>
      linkedCards(place, query),
    ),
  hasCarried: (workspace, facets) => inWorkspace(workspace, false, (place) => hasCarried(place, facets)),
  carriedAnchorTags: (workspace) => inWorkspace(workspace, [], carriedAnchorTags),
});

const taskReads = ({ inWorkspace }: Finders): TaskReads => ({
  readItem: (workspace, id) => inWorkspace(workspace, undefined, (place) => readItem(place, id)),
  readOverview: (workspace, target, limits) =>
    inWorkspace(workspace, undefined, (place) => readOverview(place, target, limits)),
  readSteps: (workspace, task) => inWorkspace(workspace, [], (place) => readSteps(place, task)),
  findStepById: (workspace, id) =>
    inWorkspace(workspace, undefined, (place) => readBody(place, "task_steps", "step_id", id)),
  listItems: (workspace, asked) =>
    inWorkspace(workspace, { items: [], hasMore: false }, (place) => listItems(place, asked)),
  readTaskEvents: (workspace, page) =>
    inWorkspace(workspace, { events: [], hasMore: false }, (place) => readTaskEvents(place, page)),
  readJob: (workspace, id) =>
    inWorkspace(workspace, undefined, (place) => readBody(place, "task_jobs", "id", id)),
  listJobs: (workspace, asked) =>
    inWorkspace(workspace, { jobs: [], hasMore: false }, (place) => listJobs(place, asked)),
  readJobEvents: (workspace, job, before, limit) =>
    inWorkspace(workspace, { events: [], hasMore: false }, (place) =>
      readJobEvents(place, job, before, limit),
    ),
  readRunner: (workspace, id) =>
    inWorkspace(workspace, undefined, (place) => readBody(place, "task_runners", "runner_id", id)),
});

const refReads = ({ inWorkspace, onBranch }: Finders): RefReads => ({
  readRef: (workspace, name, doc) =>
    onBranch(workspace, name, (place, branch) => readRef(place, branch, doc)),
  readLog: (workspace, start, before, limit) =>
    inWorkspace(workspace, { commits: [], hasMore: false }, (place) => readLog(place, start, before, limit)),
  readCommit: (workspace, seq) => inWorkspace(workspace, undefined, (place) => readCommit(place, seq)),
  readTag: (workspace, name) => inWorkspace(workspace, undefined, (place) => readTag(place, name)),
  listTags: (workspace, before, limit) =>
    inWorkspace(workspace, { tags: [], hasMore: false }, (place) => listTags(place, before, limit)),
  readReflog: (workspace, name, before, limit) =>
    onBranch(workspace, name, (place, branch) => readReflog(place, branch, before, limit)),
});
