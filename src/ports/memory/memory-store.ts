import type { AppendReceipt, AppendRequest, Once } from "../../domain/ledger/requests.ts";
import type { Agent, Places } from "../../domain/memory/agents.ts";
import type { CardNode } from "../../domain/memory/cards/card.ts";
import type { Entry, EntryMark } from "../../domain/memory/entry.ts";
import type { GraphVersion } from "../../domain/memory/graph.ts";
import type { MeaningAnchor } from "../../domain/memory/meaning-map/meaning-anchor.ts";
import type {
  Branch,
  Commit,
  GraphMerge,
  GraphMergeOutcome,
  GraphPlace,
  NoteMerge,
  NoteMergeOutcome,
  Ref,
  Tag,
} from "../../domain/memory/steps/outcomes.ts";
import type { MemoryStep, Outcomes } from "../../domain/memory/steps/step.ts";
import type { CardFilter } from "../../domain/memory/views/selection.ts";
import type { Step } from "../../domain/tasks/item.ts";
import type { BoardReads } from "./board.ts";
import type { GraphChanges, GraphDifference, GraphReads, MergeOptions } from "./graph.ts";
import type { OverviewLimits, TaskOverview, TaskReads } from "./tasks.ts";

export type CommitOptions = {
  at: Date;
  /** The writer. `undefined` if the writer cannot be identified. */
  by?: Agent | undefined;
  once?: Once | undefined;
  /** The label for a workspace that has none. A write with a different label is refused. */
  projectGuard?: string | undefined;
  /** The project to assign to the workspace if this is its first write. */
  project?: string | undefined;
  /** The writer: the name that the agent gives itself, or the client's name. */
  agent?: string | undefined;
  /** The writer's former focus, if the result of this call reports that the focus has been cleared. */
  clearedFocus?: string | undefined;
};

/**
 * Stores notes, branches and graphs in all workspaces. The cost of a read depends only on the size of its
 * page. Writes are steps in one transaction. In a workspace without writes, reads see an empty `main` branch.
 */
export type MemoryStore = WorkspaceReads &
  DocumentReads &
  GraphReads &
  RefReads &
  CardReads &
  AnchorReads &
  TaskReads &
  BoardReads & {
    /**
     * Runs the sequential reads in `work` against one snapshot, unless `work` waits for something else in
     * between. A store can serve these reads in one transaction.
     */
    together<Result>(work: () => Promise<Result>): Promise<Result>;
    /**
     * Runs the steps in order, all or none. If a later step is refused, the earlier ones are not applied
     * either. If the workspace is new, creates it with a `main` branch.
     */
    commit<const Steps extends readonly MemoryStep[]>(
      workspace: string,
      steps: Steps,
      options: CommitOptions,
    ): Promise<Outcomes<Steps>>;
    /**
     * In one transaction, appends a thought and runs the steps that follow from it. Stores both or neither.
     * Rejects like `append` and `commit`.
     */
    commitWith(
      request: AppendRequest,
      workspace: string,
      steps: (receipt: AppendReceipt) => readonly MemoryStep[],
      options: CommitOptions,
    ): Promise<{ receipt: AppendReceipt; outcomes: readonly unknown[] }>;
    /**
     * Runs the `merge_graph` step for any number of keys. Readers see all of the merge or none of it. Other
     * calls do not wait long. Fails with CONFLICT if the branches change faster than they can be merged.
     */
    mergeGraph(
      workspace: string,
      merge: GraphMerge,
      options: CommitOptions & MergeOptions,
    ): Promise<GraphMergeOutcome>;
  };

export type MemoryInspection = {
  workspaces: number;
  branches: number;
  entries: number;
  /** Versions of nodes and edges, including superseded ones. */
  versions: number;
  /** One sentence for each inconsistency. Empty if nothing is inconsistent. */
  problems: string[];
  /** Nodes that are missing from the full-text index. */
  lackingWords: number;
  /** Workspaces whose restore was interrupted. They stay invisible until a later restore completes. */
  unfinished: string[];
};

export interface MemoryUpkeep {
  /** Checks the memory. Reads every row once, which takes a while if the memory is large. */
  inspectMemory(signal?: AbortSignal): Promise<MemoryInspection>;
}

/**
 * A workspace with the caller's checkout and focus. If the caller has none, the newest in the workspace is
 * used.
 */
export type Workspace = Places & {
  name: string;
  projectGuard: string | undefined;
  /** The project that first wrote to the workspace. Unknown for workspaces in older stores. */
  project: string | undefined;
};

/** The agent that reads. Its own settings count only if it has used them since `afterMs`. */
export type Reader = { agent: Agent; afterMs: number };

/** The reader for callers that are not agents. It sees the newest settings in the workspace. */
export const anyone: Reader = { agent: { name: undefined, keys: [] }, afterMs: Number.MAX_SAFE_INTEGER };

/** The latest activity in a workspace. */
export type Activity = {
  lastTaskEvent?: { event_id: string; ts_ms: number } | undefined;
  lastEntry?: { seq: number; ts_ms: number; branch: string; doc: string; kind: string } | undefined;
};

/** Selects branches whose names follow `after`, by name. If `deleted` is true, selects only deleted branches. */
export type BranchPage = { after: string; limit: number; deleted?: boolean | undefined };

export type WorkspaceReads = {
  schemaVersion(): Promise<number>;
  /** Returns `undefined` until the first write to the workspace. */
  readWorkspace(name: string, reader: Reader): Promise<Workspace | undefined>;
  readActivity(workspace: string): Promise<Activity>;
  /**
   * Lists the names of workspaces in use, most recently written first. If `among` is set, lists only workspaces in
   * `among`. The order is based on the newest thousand writes. Workspaces without any of those writes follow, newest
   * first.
   */
  listWorkspaces(limit: number, among?: readonly string[]): Promise<string[]>;
  listBranches(workspace: string, page: BranchPage): Promise<Branch[]>;
  readBranch(workspace: string, name: string): Promise<Branch | undefined>;
  /** Returns the most recently deleted branch with that name that can be restored. */
  readDeletedBranch(workspace: string, name: string): Promise<Branch | undefined>;
};

export type RefMove = {
  seq: number;
  ts_ms: number;
  branch: string;
  doc: string;
  action: "commit" | "reset";
  previous: number | undefined;
  current: number;
  message: string;
};

export type RefReads = {
  /** Returns the branch's own ref, or the one it inherited when it was created. */
  readRef(workspace: string, branch: string, doc: string): Promise<Ref | undefined>;
  /**
   * Returns the commits from the ref back along their parents, newest first. Includes only commits with a
   * lower seq than `before`.
   */
  readLog(
    workspace: string,
    start: number,
    before: number | undefined,
    limit: number,
  ): Promise<{ commits: Commit[]; hasMore: boolean }>;
  readCommit(workspace: string, seq: number): Promise<Commit | undefined>;
  readTag(workspace: string, name: string): Promise<Tag | undefined>;
  /** Lists tags in order of creation, newest first. */
  listTags(
    workspace: string,
    before: number | undefined,
    limit: number,
  ): Promise<{ tags: (Tag & { order: number })[]; hasMore: boolean }>;
  /** Returns the moves of the branch's refs, newest first. */
  readReflog(
    workspace: string,
    branch: string,
    before: number | undefined,
    limit: number,
  ): Promise<{ moves: RefMove[]; hasMore: boolean }>;
};

/** A card and its place. */
export type LinkedCard = CardNode & { branch: string; doc: string };

export type LinkQuery = {
  /** If a card is visible on this branch, returns the version that is visible there. */
  checkout: string;
  /** Facets in the form that `nodeFacets` produces. A card matches if it has one of these facets. */
  facets: readonly string[];
  /**
   * Selects cards whose ID or meta contains one of these texts. Spaces and most punctuation
   * in a text match anything.
   */
  naming?: readonly string[] | undefined;
  drafts: boolean;
  /** The `last_seq` of the previous page's last card. */
  after?: number | undefined;
  limit: number;
};

export type LinkPage = {
  /** Sorted: pinned cards first, then by type, then newest first. */
  cards: LinkedCard[];
  /** The number of cards that have one of the facets, including drafts. Counts up to `maxLinks`. */
  total: number;
  /** True if more cards exist than were examined. */
  hasMore: boolean;
  goesOn: boolean;
};

/** The maximum number of cards to examine: pinned cards and decisions first, then the newest of the rest. */
export const maxLinks = 2_000;

export type AnchorReads = {
  /** Lists all anchors in the workspace, by ID. */
  listAnchors(workspace: string): Promise<MeaningAnchor[]>;
  /**
   * Returns the cards in all graphs that have a tag, type or status. Matches the version of a card that is
   * visible on `checkout`. Only the tags of that version decide whether the card belongs to an anchor.
   */
  linkedCards(workspace: string, query: LinkQuery): Promise<LinkPage>;
  /**
   * Returns true if any card has, or once had, one of these facets. Takes one lookup, regardless of how many
   * cards match.
   */
  hasCarried(workspace: string, facets: readonly string[]): Promise<boolean>;
  /** Returns every `a:` tag that a card has on an existing branch. */
  carriedAnchorTags(workspace: string): Promise<string[]>;
};

/** What to read for a slice. The functions are pure: each one decides from the results so far what to read next. */
export type SlicePlan<Name extends string> = {
  /** The task whose steps are read first. */
  task: string | undefined;
  filters(steps: readonly Step[]): Readonly<Record<Name, CardFilter>>;
  /** Reads the neighbours of these cards, up to `limit`. */
  neighbours: { of(selected: Record<Name, CardNode[]>): readonly string[]; limit: number };
  /** Reads the edges between these cards, up to `limit`. */
  edges: {
    among(found: Pick<StoredSlice<Name>, "steps" | "selected" | "neighbours">): readonly string[];
    limit: number;
  };
} & SliceExtras;

/** What some views show in addition to the cards, from the same snapshot. */
export type SliceExtras = {
  overview?: { target: string; limits: OverviewLimits } | undefined;
  difference?: GraphDifference | undefined;
};

export type StoredSlice<Name extends string> = {
  steps: readonly Step[];
  selected: Record<Name, CardNode[]>;
  /** Cards that share a live edge with one of the selected cards. */
  neighbours: CardNode[];
  edges: GraphVersion[];
  /** `undefined` if the overview was not requested, or the plan or task does not exist. */
  overview: TaskOverview | undefined;
  /** `undefined` if the difference was not requested. */
  difference: GraphChanges | undefined;
  /** The newest seq in that snapshot. Pass it to later reads to exclude anything newer. */
  asOfSeq: number;
};

export type CardReads = {
  /**
   * Returns the newest cards for each filter, all from one snapshot. The cost depends on the size of the
   * result, not on the size of the graph.
   */
  selectCards<Name extends string>(
    workspace: string,
    place: GraphPlace,
    filters: Readonly<Record<Name, CardFilter>>,
  ): Promise<Record<Name, CardNode[]>>;
  /** Reads everything that a view of the cards needs from one snapshot. */
  readSlice<Name extends string>(
    workspace: string,
    place: GraphPlace,
    plan: SlicePlan<Name>,
  ): Promise<StoredSlice<Name>>;
};

type DocumentPage = {
  branch: string;
  doc: string;
  /** Selects only entries with a lower seq. */
  before?: number | undefined;
  limit: number;
};

/** A page of entries, oldest first. `hasMore` is true if older entries were left out. */
export type EntryPage = { entries: Entry[]; hasMore: boolean };

export type MarkPage = { entries: EntryMark[]; hasMore: boolean };

export type DocumentSummary = { doc: string; form: "log" | "graph"; last_seq: number; last_ts_ms: number };

export type DocumentReads = {
  /** Returns the newest entries of the branch's effective view. */
  readEntries(workspace: string, page: DocumentPage): Promise<EntryPage>;
  /** Like `readEntries`, but without texts, for checks that read thousands of entries. */
  readMarks(workspace: string, page: DocumentPage): Promise<MarkPage>;
  /** Returns the newest entries that are visible on `branch` but not on `without`. */
  readDifference(workspace: string, page: DocumentPage & { without: string }): Promise<EntryPage>;
  /**
   * Returns a document's newest notes on all branches, newest first and without duplicates, and how many
   * notes there are. If the document is `undefined`, returns notes from every document.
   */
  listNotes(
    workspace: string,
    doc: string | undefined,
    limit: number,
  ): Promise<{ notes: Entry[]; total: number }>;
  readEntry(workspace: string, seq: number): Promise<Entry | undefined>;
  /** Returns the entries with these seqs that exist and are not hidden by a deleted branch. */
  readEntriesAt(workspace: string, seqs: readonly number[]): Promise<Entry[]>;
  /**
   * Returns the seq of this agent's newest write, or 0 if there is none. Older stores recorded no
   * keys. If no key matches, searches the newest 100,000 numbers for an entry with the agent's name.
   */
  newestSeqBy(workspace: string, agent: Agent): Promise<number>;
  /** Returns the time of each agent's last write, by agent key. Omits agents that never wrote. */
  listHeard(workspace: string, keys: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Lists the documents in the branch's effective view, by name. */
  listDocs(workspace: string, branch: string): Promise<DocumentSummary[]>;
  /** Returns what a merge would copy, without copying it. */
  previewNoteMerge(workspace: string, merge: NoteMerge): Promise<NoteMergeOutcome>;
  /** Returns the sources that already have a copy in the document on this branch. */
  heldThoughts(
    workspace: string,
    look: { branch: string; doc: string; sources: readonly string[] },
  ): Promise<string[]>;
};
