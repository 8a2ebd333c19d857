import type { AppendReceipt, AppendRequest } from "../../../domain/ledger/requests.ts";
import { beyond } from "../../../domain/memory/lineage.ts";
import type { StagedMerge } from "../../../domain/memory/merge/large-merge.ts";
import { mergeLimits } from "../../../domain/memory/merge/merge-limits.ts";
import { planNoteMerge } from "../../../domain/memory/merge/merge-notes.ts";
import type { CommitCall } from "../../../domain/memory/steps/commit-calls.ts";
import type { GraphMergeOutcome } from "../../../domain/memory/steps/outcomes.ts";
import type { MemoryStep, Outcomes } from "../../../domain/memory/steps/step.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { createTurns } from "../../../kernel/steps.ts";
import type { EventSink } from "../../../ports/events.ts";
import type { MergeOptions } from "../../../ports/memory/graph.ts";
import type { CommitOptions, MemoryStore } from "../../../ports/memory/memory-store.ts";
import { queryGraphAt } from "../../rows/past-graph.ts";
import { endMoment, inOneMoment, inSharedMoment, type WithConnection } from "../connection/access.ts";
import { newestFormat } from "../connection/migrate.ts";
import type { Connection } from "../connection/open-database.ts";
import type { WordIndex } from "../search/word-index.ts";
import { findDeletedBranch, listBranches, showBranch } from "./branches.ts";
import type { Committed } from "./commit.ts";
import {
  listDocs,
  listHeard,
  newestSeqBy,
  pageEntries,
  readEntriesAt,
  readEntry,
} from "./documents/entries.ts";
import { edgesBeside, queryEdges } from "./graph/edge-query.ts";
import { findNode, readVersion } from "./graph/find-node.ts";
import { checkStride, type EdgeCursor, mergeHealth } from "./graph/graph-check.ts";
import { diffBranches } from "./graph/graph-diff.ts";
import { queryNodes } from "./graph/graph-query.ts";
import { openView, readVersions } from "./graph/graph-view.ts";
import { findWords, listVersions, pastRows } from "./graph/past-graph.ts";
import { type MergeRun, mergeInSlices, previewInSlices } from "./large-merge/merge-in-slices.ts";
import { createSweeper } from "./large-merge/sweep-merges.ts";
import { carriedAnchorTags, listAnchors } from "./meaning-map/anchors.ts";
import { linkedCards } from "./meaning-map/linked-cards.ts";
import { conflictPlaces, listConflicts, readConflict } from "./merge/conflicts.ts";
import { askedOf, inPlace, previewMerge } from "./merge/merge-graph.ts";
import {
  type branchById,
  findBranch,
  findDoc,
  findWorkspace,
  loadLineage,
  type Place,
  requireBranch,
  requireBranchIn,
} from "./places.ts";
import { listTags, readCommit, readLog, readRef, readReflog, readTag } from "./refs/refs.ts";
import { loadSources } from "./rows/graph-facts.ts";
import { createTaskReads } from "./tasks/task-reads.ts";
import { readSlice } from "./thinking/read-slice.ts";
import { selectCards } from "./thinking/select-cards.ts";
import { listWorkspaces, readActivity, readWorkspace } from "./workspaces.ts";

/** A thought, and the call that follows from its receipt, in one transaction. */
export type CommitWith = (
  request: AppendRequest,
  callFor: (receipt: AppendReceipt) => CommitCall,
) => Promise<{ receipt: AppendReceipt; committed: Committed }>;

const neverAborted = new AbortController().signal;

export function createMemoryStore(
  readAtOnce: WithConnection,
  write: WithConnection,
  { commit, commitWith }: { commit(call: CommitCall): Promise<Committed>; commitWith: CommitWith },
  words: WordIndex,
  publish: EventSink,
  clock: Clock,
): MemoryStore {
  let together = 0;
  let shared: Connection | undefined;
  /** Of one moment, even while another process writes. */
  const read: WithConnection = (select) =>
    readAtOnce((connection) => {
      if (together === 0) return inOneMoment(connection, select);
      shared = connection;
      return inSharedMoment(connection, select);
    });
  /** Where a workspace was never written to there is nothing to find. */
  const inWorkspace = <Result>(
    workspace: string,
    none: Result,
    find: (place: Place) => Result,
  ): Promise<Result> =>
    read((connection) => {
      const place = findWorkspace(connection, workspace);
      return place ? find(place) : none;
    });
  const onBranch = <Result>(
    workspace: string,
    name: string,
    find: (place: Place, branch: ReturnType<typeof branchById>) => Result,
  ): Promise<Result> =>
    read((connection) => {
      const { place, branch } = requireBranchIn(connection, workspace, name);
      return find(place, branch);
    });

  /** A graph that one stride covers is seen in one moment; each edge of a larger one in a moment of its own. */
  const checkGraph: MemoryStore["checkGraph"] = async (workspace, { branch, doc }, maxErrors, signal) => {
    const look = (from?: EdgeCursor) =>
      onBranch(workspace, branch, (place, { bid }) =>
        checkStride(openView(place, bid, doc), maxErrors, from),
      );
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

  const sweepOnce = createSweeper({ read, write, nowMs: () => clock().getTime() });

  const callOf = (
    workspace: string,
    steps: readonly MemoryStep[],
    { at, once, projectGuard, project, agent, by }: CommitOptions,
  ): CommitCall => ({ workspace, steps, at, once, projectGuard, project, agent, by });

  /** What follows a commit. */
  function conclude(workspace: string, { at }: CommitOptions, { outcomes, changes }: Committed) {
    words.later();
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
      nowMs: () => clock().getTime(),
      report: (keys, total) => {
        done += keys;
        onProgress(Math.floor(done), total);
      },
    };
  };

  return {
    async together(work) {
      together += 1;
      try {
        return await work();
      } finally {
        together -= 1;
        if (together === 0 && shared) endMoment(shared);
      }
    },

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

    schemaVersion: async () => newestFormat,
    readWorkspace: (name, reader) => readAtOnce((connection) => readWorkspace(connection, name, reader)),
    readActivity: (workspace) => inWorkspace(workspace, {}, readActivity),
    listWorkspaces: (limit, among) => read((connection) => listWorkspaces(connection, limit, among)),
    listBranches: (workspace, page) => inWorkspace(workspace, [], (place) => listBranches(place, page)),
    readBranch: (workspace, name) =>
      inWorkspace(workspace, undefined, (place) => {
        const branch = findBranch(place, name);
        return branch && showBranch(place, branch);
      }),

    readDeletedBranch: (workspace, name) =>
      inWorkspace(workspace, undefined, (place) => {
        const branch = findDeletedBranch(place, name);
        return branch && showBranch(place, branch);
      }),

    readEntries: (workspace, { branch: name, doc, before, limit }) =>
      onBranch(workspace, name, (place, { bid }) =>
        pageEntries(place, findDoc(place, doc), loadLineage(place, bid), before, limit),
      ),
    readDifference: (workspace, { branch: name, without, doc, before, limit }) =>
      onBranch(workspace, name, (place, { bid }) => {
        const other = requireBranchIn(place.connection, workspace, without).branch;
        const segments = beyond(loadLineage(place, bid), loadLineage(place, other.bid));
        return pageEntries(place, findDoc(place, doc), segments, before, limit);
      }),
    readEntry: (workspace, seq) => inWorkspace(workspace, undefined, (place) => readEntry(place, seq)),
    readEntriesAt: (workspace, seqs) => inWorkspace(workspace, [], (place) => readEntriesAt(place, seqs)),
    listHeard: (workspace, keys) =>
      inWorkspace<ReadonlyMap<string, number>>(workspace, new Map(), (place) => listHeard(place, keys)),
    newestSeqBy: (workspace, agent) => inWorkspace(workspace, 0, (place) => newestSeqBy(place, agent)),
    listDocs: (workspace, branch) => onBranch(workspace, branch, listDocs),
    previewNoteMerge: (workspace, merge) =>
      onBranch(workspace, merge.from, (place) => inPlace(place, planNoteMerge(workspace, merge)).outcome),
    heldThoughts: (workspace, { branch: name, doc, sources }) =>
      onBranch(workspace, name, (place, { bid }) => {
        const number = findDoc(place, doc);
        if (number === undefined) return [];
        const scope = { bid, doc: number, lineage: loadLineage(place, bid) };
        const found = loadSources(place.connection, scope, sources);
        return sources.filter((_, n) => found[n] !== undefined);
      }),

    async queryNodes(workspace, query) {
      if (query.text !== undefined) await words.catchUp();
      return onBranch(workspace, query.branch, (place, { bid }) =>
        queryNodes(openView(place, bid, query.doc), query),
      );
    },
    async queryGraph(workspace, query, edges) {
      const { asOf } = query;
      if (asOf !== undefined)
        return queryGraphAt(
          {
            rows: () =>
              onBranch(workspace, query.branch, (place, { bid }) =>
                pastRows(openView(place, bid, query.doc)),
              ),
            versions: (seqs) => onBranch(workspace, query.branch, (place) => readVersions(place, seqs)),
          },
          { ...query, asOf },
          edges,
        );
      if (query.text !== undefined) await words.catchUp();
      return onBranch(workspace, query.branch, (place, { bid }) => {
        const view = openView(place, bid, query.doc);
        const page = queryNodes(view, query);
        return { ...page, edges: edgesBeside(view, page.nodes, edges) };
      });
    },
    edgesAmong: (workspace, { branch, doc }, ids, limit) =>
      onBranch(
        workspace,
        branch,
        (place, { bid }) => queryEdges(openView(place, bid, doc), { ids, ends: "among", limit }).edges,
      ),
    queryEdges: (workspace, { branch, doc, ...query }) =>
      onBranch(workspace, branch, (place, { bid }) => queryEdges(openView(place, bid, doc), query)),
    findNode: (workspace, branch, id, edgesLimit) =>
      inWorkspace(workspace, undefined, (place) => {
        const found = findNode(place, branch, id);
        if (!found) return undefined;
        const view = openView(place, requireBranch(place, found.place.branch).bid, found.place.doc);
        return { ...found, edges: queryEdges(view, { ids: [id], ends: "touching", limit: edgesLimit }) };
      }),
    async findWords(workspace, stems, options) {
      await words.catchUp();
      return inWorkspace(workspace, [], (place) => findWords(place, stems, options));
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
    readConflict: (workspace, id) => inWorkspace(workspace, undefined, (place) => readConflict(place, id)),

    selectCards: (workspace, { branch, doc }, filters) =>
      onBranch(workspace, branch, (place, { bid }) => selectCards(openView(place, bid, doc), filters)),
    readSlice: (workspace, { branch, doc }, plan) =>
      onBranch(workspace, branch, (place, { bid }) => readSlice(openView(place, bid, doc), plan)),
    ...createTaskReads(inWorkspace),

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
