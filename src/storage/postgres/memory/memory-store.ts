import type { AppendReceipt, AppendRequest } from "../../../domain/ledger/requests.ts";
import { beyond } from "../../../domain/memory/lineage.ts";
import type { StagedMerge } from "../../../domain/memory/merge/large-merge.ts";
import { mergeLimits } from "../../../domain/memory/merge/merge-limits.ts";
import { planNoteMerge } from "../../../domain/memory/merge/merge-notes.ts";
import type { CommitCall } from "../../../domain/memory/steps/commit-calls.ts";
import type { GraphMergeOutcome } from "../../../domain/memory/steps/outcomes.ts";
import type { BranchRow } from "../../../domain/memory/steps/rows.ts";
import type { MemoryStep, Outcomes } from "../../../domain/memory/steps/step.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { EventSink } from "../../../ports/events.ts";
import type { MergeOptions } from "../../../ports/memory/graph.ts";
import type { CommitOptions, MemoryStore } from "../../../ports/memory/memory-store.ts";
import { queryGraphAt } from "../../rows/past-graph.ts";
import type { WithConnection, WithWrite } from "../connection/access.ts";
import { newestSchema } from "../connection/migrate.ts";
import type { Committed } from "./commit.ts";
import { edgesBeside, queryEdges } from "./graph/edge-query.ts";
import { findNode, readVersion } from "./graph/find-node.ts";
import { checkGraph } from "./graph/graph-check.ts";
import { diffBranches } from "./graph/graph-diff.ts";
import { queryNodes } from "./graph/graph-query.ts";
import { type GraphView, openView, readVersions } from "./graph/graph-view.ts";
import { findWords, listVersions, pastRows } from "./graph/past-graph.ts";
import {
  createSweeper,
  type MergeRun,
  mergeInSlices,
  previewInSlices,
} from "./large-merge/merge-in-slices.ts";
import { askedOf, inPlace, previewMerge } from "./merge/answer-merge.ts";
import { conflictPlaces, findConflict, listConflicts } from "./merge/conflicts.ts";
import {
  findBranch,
  findDeletedBranch,
  findDoc,
  findWorkspace,
  listBranches,
  loadLineage,
  type Place,
  requireBranch,
  requireBranchIn,
  showBranch,
} from "./places.ts";
import { carriedAnchorTags, linkedCards, listAnchors } from "./reads/anchors.ts";
import {
  listDocs,
  listHeard,
  listWorkspaces,
  newestSeqBy,
  pageEntries,
  readActivity,
  readEntriesAt,
  readWorkspace,
} from "./reads/entries.ts";
import { emptyBoard, readBoard } from "./reads/read-board.ts";
import { listTags, readCommit, readLog, readRef, readReflog, readTag } from "./reads/refs.ts";
import { readSlice, selectCards } from "./reads/slice.ts";
import { createTaskReads } from "./reads/task-rows.ts";
import { loadSources } from "./rows/graph-facts.ts";

/** A thought, and the call that follows from its receipt, in one transaction. */
export type CommitWith = (
  request: AppendRequest,
  callFor: (receipt: AppendReceipt) => CommitCall,
) => Promise<{ receipt: AppendReceipt; committed: Committed }>;

const neverAborted = new AbortController().signal;

type Parts = {
  read: WithConnection;
  together: MemoryStore["together"];
  write: WithWrite;
  commit(call: CommitCall): Promise<Committed>;
  commitWith: CommitWith;
  publish: EventSink;
  clock: Clock;
};

export function createMemoryStore(parts: Parts): MemoryStore {
  const { read, together, write, commit, commitWith, publish, clock } = parts;
  /** Where a workspace was never written to there is nothing to find. */
  const inWorkspace = <Result>(
    workspace: string,
    none: Result,
    find: (place: Place) => Promise<Result>,
  ): Promise<Result> =>
    read(async (connection) => {
      const place = await findWorkspace(connection, workspace);
      return place ? find(place) : none;
    });
  const onBranch = <Result>(
    workspace: string,
    name: string,
    find: (place: Place, branch: BranchRow) => Promise<Result>,
  ): Promise<Result> =>
    read(async (connection) => {
      const { place, branch } = await requireBranchIn(connection, workspace, name);
      return find(place, branch);
    });
  const inView = <Result>(
    workspace: string,
    { branch, doc }: { branch: string; doc: string },
    find: (view: GraphView) => Promise<Result>,
  ): Promise<Result> =>
    onBranch(workspace, branch, async (place, { bid }) => find(await openView(place, bid, doc)));

  const nowMs = () => clock().getTime();
  const sweepOnce = createSweeper({ read, write, nowMs });

  const callOf = (
    workspace: string,
    steps: readonly MemoryStep[],
    { at, once, projectGuard, project, agent, by }: CommitOptions,
  ): CommitCall => ({ workspace, steps, at, once, projectGuard, project, agent, by });

  /** What follows a commit. */
  function conclude(workspace: string, { at }: CommitOptions, { outcomes, changes }: Committed) {
    sweepOnce();
    const timestamp = at.toISOString();
    for (const { change } of changes) publish({ ...change, workspace, timestamp });
    return outcomes;
  }

  const transact = async (workspace: string, steps: readonly MemoryStep[], options: CommitOptions) =>
    conclude(workspace, options, await commit(callOf(workspace, steps, options)));

  const runOf = ({ signal = neverAborted, onProgress = () => {} }: MergeOptions): MergeRun => {
    let done = 0;
    return {
      read,
      write,
      signal,
      nowMs,
      report: (keys, total) => {
        done += keys;
        onProgress(Math.floor(done), total);
      },
    };
  };

  return {
    together,
    commit: (workspace, steps, options) =>
      transact(workspace, steps, options) as Promise<Outcomes<typeof steps>>,

    async commitWith(request, workspace, steps, options) {
      const { receipt, committed } = await commitWith(request, (given) =>
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

    schemaVersion: async () => newestSchema,
    readWorkspace: (name, reader) => read((connection) => readWorkspace(connection, name, reader)),
    readActivity: (workspace) => inWorkspace(workspace, {}, readActivity),
    listWorkspaces: (limit, among) => read((connection) => listWorkspaces(connection, limit, among)),
    listBranches: (workspace, page) => inWorkspace(workspace, [], (place) => listBranches(place, page)),
    readBranch: (workspace, name) =>
      inWorkspace(workspace, undefined, async (place) => {
        const branch = await findBranch(place, name);
        return branch && showBranch(place, branch);
      }),
    readDeletedBranch: (workspace, name) =>
      inWorkspace(workspace, undefined, async (place) => {
        const branch = await findDeletedBranch(place, name);
        return branch && showBranch(place, branch);
      }),

    readEntries: (workspace, { branch, doc, before, limit }) =>
      onBranch(workspace, branch, async (place, { bid }) => {
        const [number, lineage] = await Promise.all([findDoc(place, doc), loadLineage(place, bid)]);
        return pageEntries(place, number, lineage, before, limit);
      }),
    readDifference: (workspace, { branch, without, doc, before, limit }) =>
      onBranch(workspace, branch, async (place, { bid }) => {
        const other = (await requireBranchIn(place.connection, workspace, without)).branch;
        const [own, theirs] = await Promise.all([loadLineage(place, bid), loadLineage(place, other.bid)]);
        return pageEntries(place, await findDoc(place, doc), beyond(own, theirs), before, limit);
      }),
    readEntry: async (workspace, seq) =>
      (await inWorkspace(workspace, [], (place) => readEntriesAt(place, [seq])))[0],
    readEntriesAt: (workspace, seqs) => inWorkspace(workspace, [], (place) => readEntriesAt(place, seqs)),
    listHeard: (workspace, keys) =>
      inWorkspace<ReadonlyMap<string, number>>(workspace, new Map(), (place) => listHeard(place, keys)),
    newestSeqBy: (workspace, agent) => inWorkspace(workspace, 0, (place) => newestSeqBy(place, agent)),
    listDocs: (workspace, branch) => onBranch(workspace, branch, listDocs),
    previewNoteMerge: (workspace, merge) =>
      onBranch(
        workspace,
        merge.from,
        async (place) => (await inPlace(place, planNoteMerge(workspace, merge))).outcome,
      ),
    heldThoughts: (workspace, { branch, doc, sources }) =>
      onBranch(workspace, branch, async (place, { bid }) => {
        const [number, lineage] = await Promise.all([findDoc(place, doc), loadLineage(place, bid)]);
        if (number === undefined) return [];
        const found = await loadSources(place.connection, { doc: number, lineage }, sources);
        return sources.filter((_, n) => found[n] !== undefined);
      }),

    queryNodes: (workspace, query) => inView(workspace, query, (view) => queryNodes(view, query)),
    queryGraph: (workspace, query, edges) =>
      inView(workspace, query, async (view) => {
        const { asOf } = query;
        if (asOf !== undefined) {
          const past = {
            rows: () => pastRows(view),
            versions: (seqs: readonly number[]) => readVersions(view.place, seqs),
          };
          return queryGraphAt(past, { ...query, asOf }, edges);
        }
        const page = await queryNodes(view, query);
        return { ...page, edges: await edgesBeside(view, page.nodes, edges) };
      }),
    edgesAmong: async (workspace, place, ids, limit) =>
      (await inView(workspace, place, (view) => queryEdges(view, { ids, ends: "among", limit }))).edges,
    queryEdges: (workspace, { branch, doc, ...query }) =>
      inView(workspace, { branch, doc }, (view) => queryEdges(view, query)),
    findNode: (workspace, branch, id, edgesLimit) =>
      inWorkspace(workspace, undefined, async (place) => {
        const found = await findNode(place, branch, id);
        if (!found) return undefined;
        const { bid } = await requireBranch(place, found.place.branch);
        const view = await openView(place, bid, found.place.doc);
        return {
          ...found,
          edges: await queryEdges(view, { ids: [id], ends: "touching", limit: edgesLimit }),
        };
      }),
    findWords: (workspace, stems, options) =>
      inWorkspace(workspace, [], (place) => findWords(place, stems, options)),
    listVersions: (workspace, query) =>
      inWorkspace(workspace, { versions: [], hasMore: false }, (place) => listVersions(place, query)),
    readVersion: (workspace, seq) => inWorkspace(workspace, undefined, (place) => readVersion(place, seq)),
    diffGraph: (workspace, difference) =>
      onBranch(workspace, difference.from, (place) => diffBranches(place, difference)),
    checkGraph: (workspace, place, maxErrors) =>
      inView(workspace, place, (view) => checkGraph(view, maxErrors)),
    previewGraphMerge: async (workspace, merge, at, options = {}) =>
      (await onBranch(workspace, merge.from, (place) =>
        previewMerge(place, merge, at, mergeLimits.transaction),
      )) ?? previewInSlices(runOf(options), askedOf(workspace, merge), at),
    listConflicts: (workspace, page) => onBranch(workspace, page.into, (place) => listConflicts(place, page)),
    countOpenConflicts: (workspace) => inWorkspace(workspace, [], conflictPlaces),
    readConflict: (workspace, id) =>
      inWorkspace(workspace, undefined, async (place) => (await findConflict(place, id))?.conflict),

    selectCards: (workspace, place, filters) =>
      inView(workspace, place, (view) => selectCards(view, filters)),
    readSlice: (workspace, place, plan) => inView(workspace, place, (view) => readSlice(view, plan)),
    ...createTaskReads(inWorkspace),
    readBoard: (workspace, query) => inWorkspace(workspace, emptyBoard, (place) => readBoard(place, query)),

    listAnchors: (workspace) => inWorkspace(workspace, [], listAnchors),
    linkedCards: (workspace, query) =>
      inWorkspace(workspace, { cards: [], total: 0, hasMore: false, goesOn: false }, (place) =>
        linkedCards(place, query),
      ),
    carriedAnchorTags: (workspace) => inWorkspace(workspace, [], carriedAnchorTags),

    readRef: (workspace, name, doc) =>
      onBranch(workspace, name, (place, branch) => readRef(place, branch, doc)),
    readLog: (workspace, start, before, limit) =>
      inWorkspace(workspace, { commits: [], hasMore: false }, (place) =>
        readLog(place, start, before, limit),
      ),
    readCommit: (workspace, seq) => inWorkspace(workspace, undefined, (place) => readCommit(place, seq)),
    readTag: (workspace, name) => inWorkspace(workspace, undefined, (place) => readTag(place, name)),
    listTags: (workspace, before, limit) =>
      inWorkspace(workspace, { tags: [], hasMore: false }, (place) => listTags(place, before, limit)),
    readReflog: (workspace, name, before, limit) =>
      onBranch(workspace, name, (place, branch) => readReflog(place, branch, before, limit)),
  };
}
