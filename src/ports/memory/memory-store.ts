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
import type { CardFilter } from "../../domain/memory/views/card-facets.ts";
import type { Step } from "../../domain/tasks/item.ts";
import type { BoardReads } from "./board.ts";
import type { GraphChanges, GraphDifference, GraphReads, MergeOptions } from "./graph.ts";
import type { OverviewLimits, TaskOverview, TaskReads } from "./tasks.ts";

export type CommitOptions = {
  at: Date;
  /** The keys of the writer, if it can be identified. */
  by?: Agent | undefined;
  once?: Once | undefined;
  /** Binds the workspace to a project at its first write. */
  projectGuard?: string | undefined;
  /** The project that the workspace belongs to if this is its first write. */
  project?: string | undefined;
  /** Who writes: the agent as it calls itself, or the client. */
  agent?: string | undefined;
};

/**
 * Notes, branches and graphs of all workspaces. Reads cost their page; writes are steps of one transaction. Reads of a
 * branch see an empty `main` in a workspace that was never written to.
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
     * The reads that `work` makes one after the other are of one moment if nothing else has to be waited for in
     * between. To a store it is a chance to serve them in one transaction.
     */
    together<Result>(work: () => Promise<Result>): Promise<Result>;
    /**
     * Does the steps in order, all or none: what a later one refuses, the earlier ones have not done either.
     * Creates the workspace with its branch `main` if it is new.
     */
    commit<const Steps extends readonly MemoryStep[]>(
      workspace: string,
      steps: Steps,
      options: CommitOptions,
    ): Promise<Outcomes<Steps>>;
    /**
     * Appends a thought and does the steps that follow from it, in one transaction: both are stored, or neither. Rejects
     * with the refusals of `append` and of `commit`.
     */
    commitWith(
      request: AppendRequest,
      workspace: string,
      steps: (receipt: AppendReceipt) => readonly MemoryStep[],
      options: CommitOptions,
    ): Promise<{ receipt: AppendReceipt; outcomes: readonly unknown[] }>;
    /**
     * The step `merge_graph` for any number of keys: readers see all of it or nothing, and other calls do not
     * wait long. Fails with CONFLICT if the branches change faster than they can be merged.
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
  /** Versions of nodes and edges, the superseded ones too. */
  versions: number;
  /** Sentences about what does not fit together; empty when all does. */
  problems: string[];
  /** Nodes that full-text search ought to know and does not. */
  lackingWords: number;
  /** Workspaces whose restore was interrupted. They are invisible, and the next restore starts again. */
  unfinished: string[];
};

export interface MemoryUpkeep {
  /** Looks at every row once, so a large memory takes its time. */
  inspectMemory(signal?: AbortSignal): Promise<MemoryInspection>;
}

/** Checkout and focus are the caller's own, else the newest of the workspace. */
export type Workspace = Places & {
  name: string;
  projectGuard: string | undefined;
  /** The one that first wrote to it; unknown for workspaces of older stores. */
  project: string | undefined;
};

/** Who asks. What agents set and did not use since `afterMs` is no longer their own. */
export type Reader = { agent: Agent; afterMs: number };

/** Callers that are not agents see the newest of the workspace. */
export const anyone: Reader = { agent: { name: undefined, keys: [] }, afterMs: Number.MAX_SAFE_INTEGER };

/** What happened last in a workspace. */
export type Activity = {
  lastTaskEvent?: { event_id: string; ts_ms: number } | undefined;
  lastEntry?: { seq: number; ts_ms: number; branch: string; doc: string; kind: string } | undefined;
};

/** By name, those after `after`; the deleted ones where asked for. */
export type BranchPage = { after: string; limit: number; deleted?: boolean | undefined };

export type WorkspaceReads = {
  schemaVersion(): Promise<number>;
  /** `undefined` until something was written there. */
  readWorkspace(name: string, reader: Reader): Promise<Workspace | undefined>;
  readActivity(workspace: string): Promise<Activity>;
  /**
   * Names of those in use, of all or of those `among`; the last written first. Which one that is, the newest thousand
   * writes tell; workspaces that none of them went to follow, the newest first.
   */
  listWorkspaces(limit: number, among?: readonly string[]): Promise<string[]>;
  listBranches(workspace: string, page: BranchPage): Promise<Branch[]>;
  readBranch(workspace: string, name: string): Promise<Branch | undefined>;
  /** The branch of that name that was deleted last and can be restored. */
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
  /** The branch's own ref, else the one it inherited when it was made. */
  readRef(workspace: string, branch: string, doc: string): Promise<Ref | undefined>;
  /** Commits from the ref back along their parents, newest first; those with a lower seq than `before`. */
  readLog(
    workspace: string,
    start: number,
    before: number | undefined,
    limit: number,
  ): Promise<{ commits: Commit[]; hasMore: boolean }>;
  readCommit(workspace: string, seq: number): Promise<Commit | undefined>;
  readTag(workspace: string, name: string): Promise<Tag | undefined>;
  /** In the order of their making, newest first. */
  listTags(
    workspace: string,
    before: number | undefined,
    limit: number,
  ): Promise<{ tags: (Tag & { order: number })[]; hasMore: boolean }>;
  /** Newest first. */
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
  /** The branch whose view counts where it shows a card. */
  checkout: string;
  /** As `nodeFacets` makes them: the card has one of these. */
  facets: readonly string[];
  drafts: boolean;
  /** The `last_seq` of the card after which the page begins. */
  after?: number | undefined;
  limit: number;
};

export type LinkPage = {
  /** Pinned first, then by type, then the newest. */
  cards: LinkedCard[];
  /** How many cards have one of the facets, drafts among them; counted up to `maxLinks`. */
  total: number;
  /** There are more than were looked at. */
  hasMore: boolean;
  /** Another page follows. */
  goesOn: boolean;
};

/** So many cards are looked at: pinned ones and decisions before others, then the newest. */
export const maxLinks = 2_000;

export type AnchorReads = {
  /** All of the workspace, by id. */
  listAnchors(workspace: string): Promise<MeaningAnchor[]>;
  /**
   * Cards of all graphs that have a tag, type or status. A card counts as it is when it is opened from `checkout`,
   * whichever write made it so: what belongs to an anchor follows from tags alone.
   */
  linkedCards(workspace: string, query: LinkQuery): Promise<LinkPage>;
  /** Whether any card has, or once had, one of these facets. It costs one look, however many have. */
  hasCarried(workspace: string, facets: readonly string[]): Promise<boolean>;
  /** Every `a:` tag that a card carries on a branch that is there. */
  carriedAnchorTags(workspace: string): Promise<string[]>;
};

/** What to read for a slice. The functions are pure: each says, from what was found so far, what is read next. */
export type SlicePlan<Name extends string> = {
  /** The task whose steps are read first. */
  task: string | undefined;
  filters(steps: readonly Step[]): Readonly<Record<Name, CardFilter>>;
  /** The cards whose neighbours are wanted, and how many. */
  neighbours: { of(selected: Record<Name, CardNode[]>): readonly string[]; limit: number };
  /** The cards among which edges are wanted, and how many. */
  edges: {
    among(found: Pick<StoredSlice<Name>, "steps" | "selected" | "neighbours">): readonly string[];
    limit: number;
  };
} & SliceExtras;

/** What some views show beside the cards, as it was at the same moment. */
export type SliceExtras = {
  overview?: { target: string; limits: OverviewLimits } | undefined;
  difference?: GraphDifference | undefined;
};

export type StoredSlice<Name extends string> = {
  steps: readonly Step[];
  selected: Record<Name, CardNode[]>;
  /** Cards that share a live edge with one of those that were named. */
  neighbours: CardNode[];
  edges: GraphVersion[];
  /** `undefined` where it was not asked for, or there is no such plan or task. */
  overview: TaskOverview | undefined;
  /** `undefined` where it was not asked for. */
  difference: GraphChanges | undefined;
  /** The newest seq at that moment; what is read later can be kept from showing more. */
  asOfSeq: number;
};

export type CardReads = {
  /**
   * For each filter its newest cards, all from one moment. The cost depends on what it returns, not on the
   * size of the graph.
   */
  selectCards<Name extends string>(
    workspace: string,
    place: GraphPlace,
    filters: Readonly<Record<Name, CardFilter>>,
  ): Promise<Record<Name, CardNode[]>>;
  /** All that a view of the cards is made of, from one moment. */
  readSlice<Name extends string>(
    workspace: string,
    place: GraphPlace,
    plan: SlicePlan<Name>,
  ): Promise<StoredSlice<Name>>;
};

type DocumentPage = {
  branch: string;
  doc: string;
  /** Only entries with a lower seq. */
  before?: number | undefined;
  limit: number;
};

/** Oldest first; `hasMore` when older ones were left out. */
export type EntryPage = { entries: Entry[]; hasMore: boolean };

export type MarkPage = { entries: EntryMark[]; hasMore: boolean };

export type DocumentSummary = { doc: string; form: "log" | "graph"; last_seq: number; last_ts_ms: number };

export type DocumentReads = {
  /** The newest entries of the branch's effective view. */
  readEntries(workspace: string, page: DocumentPage): Promise<EntryPage>;
  /** The same without texts, for checks that read thousands. */
  readMarks(workspace: string, page: DocumentPage): Promise<MarkPage>;
  /** The newest entries that `branch` shows and `without` does not. */
  readDifference(workspace: string, page: DocumentPage & { without: string }): Promise<EntryPage>;
  readEntry(workspace: string, seq: number): Promise<Entry | undefined>;
  /** Those of the entries that are there and not hidden by a deleted branch. */
  readEntriesAt(workspace: string, seqs: readonly number[]): Promise<Entry[]>;
  /**
   * The newest write of this agent; 0 if there is none. Of writes from before agents were kept, the newest 100,000 are
   * looked through for its name.
   */
  newestSeqBy(workspace: string, agent: Agent): Promise<number>;
  /** When agents last wrote, by their keys; those that never did are missing. */
  listHeard(workspace: string, keys: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Documents of the branch's effective view, by name. */
  listDocs(workspace: string, branch: string): Promise<DocumentSummary[]>;
  /** What a merge would copy, without copying it. */
  previewNoteMerge(workspace: string, merge: NoteMerge): Promise<NoteMergeOutcome>;
  /** Those of the sources of which the document shows a copy on this branch. */
  heldThoughts(
    workspace: string,
    look: { branch: string; doc: string; sources: readonly string[] },
  ): Promise<string[]>;
};
