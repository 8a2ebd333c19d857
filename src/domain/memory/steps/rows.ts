import type { Item, Step } from "../../tasks/item.ts";
import type { Job, JobEvent, Runner } from "../../tasks/job.ts";
import type { EntryKind, Meta } from "../entry.ts";
import type { Tally } from "../graph/plan-versions.ts";
import type { GraphState, GraphVersion } from "../graph.ts";
import type { Lineage } from "../lineage.ts";
import type { MeaningAnchor } from "../meaning-map/meaning-anchor.ts";
import type { MemoryChange } from "./changes.ts";
import type { Commit, Conflict, StoredTaskEvent, Tag } from "./outcomes.ts";

/**
 * The rows that a store loads for decisions, and the rows that decisions write. Workspaces, branches and documents are
 * identified by their numbers (`wid`, `bid`, `doc`), which survive renaming.
 */
export type WorkspaceRow = {
  wid: number;
  checkout: BranchRow | undefined;
  projectGuard: string | undefined;
};

export type BranchRow = {
  bid: number;
  uid: string;
  name: string;
  base: number | undefined;
  baseSeq: number;
  depth: number;
  createdAtMs: number;
  deletedAtMs: number | undefined;
};

export type Form = "log" | "graph";

export type StreamRow = {
  /** `undefined` if no branch of the workspace has a document with this name. */
  doc: number | undefined;
  /** True if the branch itself has written to the document. */
  isOpen: boolean;
};

export type EntryRow = {
  seq: number;
  doc: number;
  bid: number;
  kind: EntryKind;
  title: string | undefined;
  format: string | undefined;
  meta: Meta | undefined;
  content: string;
  agentId: string | undefined;
  tsMs: number;
  /** The seq of the original if the entry is a copy. For an original, the entry's own seq. */
  origin: number;
  sourceEventId: string | undefined;
  /** The branch name. Set if a step only appended the entry. The feed reads the name from here. */
  appendedOn: string | undefined;
};

/** The version of a key that is visible on a branch, without its text. */
export type Head = {
  seq: number;
  bid: number;
  kind: "node" | "edge";
  deleted: boolean;
  fingerprint: string;
  replaces: number | undefined;
  type: string;
  status: string | undefined;
  tags: readonly string[] | undefined;
};

/** A new version: a state, or a copy of an existing version. */
export type VersionRow = {
  seq: number;
  doc: number;
  bid: number;
  key: string;
  kind: "node" | "edge";
  deleted: boolean;
  /** If this version was replaced before it became visible, the seq of its replacement. */
  superseded: number | undefined;
  replaces: number | undefined;
  tally: Tally;
  /** The values that filters use. Empty unless the version is visible. */
  facets: readonly string[];
  tsMs: number;
} & ({ state: GraphState; fingerprint: string } | { copyOf: number });

/** A graph as it is on one branch. */
export type GraphScope = LineageScope & { doc: number };
export type LineageScope = { bid: number; lineage: Lineage };

/** A fact about something in a workspace. The key identifies it within the scope. */
type Fact<Key extends string | number, Found, Scope = undefined> = { key: Key; found: Found; scope: Scope };

/**
 * If `mergeFrom` is set, a large merge has reserved that seq and all higher ones. Another write may still
 * take these seqs.
 */
export type Sequence = { last: number; mergeFrom: number | undefined };

/**
 * If `hidden` is true, the tag's branch is deleted. The name remains taken, because restoring the branch
 * restores the tag.
 */
export type KnownTag = Tag & { hidden: boolean };

export type FactKinds = {
  /** There is only one sequence per store. The same applies to the last assigned row numbers. */
  sequence: Fact<"", Sequence>;
  lastRow: Fact<"workspace" | "branch" | "doc", number>;
  /** The result of the first call with an idempotency key. */
  outcome: Fact<string, { fingerprint: string; outcome: unknown } | undefined>;
  workspace: Fact<"", WorkspaceRow | undefined>;
  /** A branch, by name. Omits deleted branches. */
  branch: Fact<string, BranchRow | undefined>;
  branchById: Fact<number, BranchRow | undefined>;
  /** By name: the branch with this name that was deleted last. */
  deletedBranch: Fact<string, BranchRow | undefined>;
  /** A branch, by uid. Includes deleted branches. */
  branchByUid: Fact<string, BranchRow | undefined>;
  /** By uid: this branch, or if it is deleted, the workspace's first branch that is not deleted. */
  branchToShow: Fact<string, BranchRow | undefined>;
  /** The seq at which a branch was last created from this one. 0 if there is none. */
  branchedAt: Fact<number, number>;
  lineage: Fact<number, Lineage>;
  doc: Fact<string, number | undefined>;
  /** The log of a document, by the document's name. */
  log: Fact<string, StreamRow, { bid: number }>;
  graph: Fact<string, StreamRow, { bid: number }>;
  /** A commit, by seq. Omits commits that a deleted branch hides. */
  commit: Fact<number, (Commit & { bid: number }) | undefined>;
  /** An entry, by seq. `undefined` if the workspace has no such entry. */
  recorded: Fact<number, { isCommit: boolean } | undefined>;
  /** The ref of a document on the branch. */
  ref: Fact<number, number | undefined, LineageScope>;
  tag: Fact<string, KnownTag | undefined>;
  /** By `source_event_id`: the first visible entry with this source in a document of the branch. */
  source: Fact<string, { seq: number; meta: Meta } | undefined, GraphScope>;
  /** By key: the version that is visible on the branch, with or without its text. */
  head: Fact<string, Head | undefined, GraphScope>;
  current: Fact<string, { head: Head; version: GraphVersion } | undefined, GraphScope>;
  /** By node ID: the live edges on the branch that begin or end at the node. */
  edgesAt: Fact<string, readonly GraphVersion[], GraphScope>;
  /** Per document. */
  tally: Fact<number, Tally, LineageScope>;
  /** The last assigned number. 0 if there is none. */
  counter: Fact<Counter, number>;
  item: Fact<string, Item | undefined>;
  /** The steps of each task, in outline order. */
  steps: Fact<string, readonly Step[]>;
  /** Per plan: the number of tasks that are neither done nor cancelled. */
  openTasks: Fact<string, number>;
  job: Fact<string, Job | undefined>;
  /** The next job by priority, then age: a queued one, or one whose lease expired before the key's time. */
  nextJob: Fact<"queued" | number, Job | undefined>;
  runner: Fact<string, Runner | undefined>;
  /** All anchors in the workspace, by ID. */
  anchors: Fact<"", readonly MeaningAnchor[]>;
  /** By agent key: when the agent last wrote to the workspace. */
  heard: Fact<string, number | undefined>;
  /** By branch number: the time of the last write by an agent that has the branch checked out. */
  taken: Fact<number, number | undefined>;
  /** By tag: true if a card on an existing branch has the tag. */
  carried: Fact<string, boolean>;
};

export type Counter = "plan" | "task" | "step" | "event" | "job" | "card";

export type FactKind = keyof FactKinds;

/** `wid` is set once the workspace's number is known. */
export type Need = {
  [Kind in FactKind]: {
    kind: Kind;
    workspace: string;
    wid: number | undefined;
    scope: FactKinds[Kind]["scope"];
    keys: readonly FactKinds[Kind]["key"][];
  };
}[FactKind];

export type WriteKinds = {
  /** Written before `sequence`, which moves the counter past the merge's staged versions. */
  publishedMerge: PublishedMerge;
  /** The highest seq used. Written only if something other than an entry used a seq. */
  sequence: number;
  /** A new or renamed workspace. */
  workspace: {
    wid: number;
    name: string;
    projectGuard: string | undefined;
    project: string | undefined;
    createdAtMs: number;
  };
  /** Binds a workspace that is not bound yet. */
  projectGuard: { wid: number; projectGuard: string };
  /** A new, renamed, deleted or restored branch. */
  branch: BranchRow & { wid: number; erased?: boolean };
  checkout: { wid: number; bid: number };
  doc: { doc: number; wid: number; name: string };
  stream: { bid: number; doc: number; form: Form; firstSeq: number };
  entry: EntryRow;
  commit: { seq: number; parent: number | undefined };
  refMove: {
    seq: number;
    bid: number;
    doc: number;
    action: "commit" | "reset";
    previous: number | undefined;
    current: number;
    message: string;
    tsMs: number;
  };
  /** If `seq` is absent, the tag is deleted. */
  tag: { wid: number; name: string; seq: number | undefined; ordinal: number; createdAtMs: number };
  version: VersionRow;
  /** The agent that wrote the versions from seq `first` to `last`. */
  author: { wid: number; first: number; last: number; agent: string };
  /**
   * If `hidden` is true, the version is no longer visible on any branch, so it is removed from the facet
   * index.
   */
  superseded: {
    seq: number;
    by: number;
    hidden: boolean;
    doc: number;
    bid: number;
    facets: readonly string[];
  };
  /** Numbers up to and including this one are taken. */
  counter: { wid: number; name: Counter; value: number };
  item: { wid: number; item: Item };
  step: { wid: number; step: Step };
  taskEvent: { wid: number; number: number; event: StoredTaskEvent };
  /** If `target` is absent, clears the focus, but only if it equals `was`. */
  focus: { wid: number; target: string | undefined; was?: string | undefined };
  /** The agent's last write, once for each key that identifies the agent. */
  agent: { wid: number; key: string; agentId: string | undefined; seq: number; atMs: number };
  /** The agent's own focus or checkout. `undefined` keeps the current value, `null` clears it. */
  agentPlace: WriteKinds["agent"] & { target?: string | null; bid?: number | null };
  /** Clears this focus for all agents. They are notified later. */
  focusDone: { wid: number; target: string };
  /** The agent was notified that its focus was cleared. */
  focusTold: { wid: number; key: string; target: string };
  job: { wid: number; job: Job };
  jobEvent: { seq: number; wid: number; job: string; tsMs: number; event: JobEvent };
  runner: { wid: number; runner: Runner };
  /** If `anchor` is absent, the anchor with this ID is removed. */
  anchor: { wid: number; id: string; anchor: MeaningAnchor | undefined };
  /**
   * The seq of the source's version, on which a branch and its base now agree. `undefined` if neither of them
   * has a version.
   */
  settled: { wid: number; child: number; doc: number; key: string; seq: number | undefined };
  /**
   * All changes in branch `from` up to `seq` are settled with the target. If `from` is absent, resets the
   * marks of both directions.
   */
  mergeMark: { child: number; doc: number } & ({ from: number; seq: number } | { from?: undefined });
  closedConflict: { wid: number; id: string; resolution: "use_from" | "use_into" | "moot"; atMs: number };
  /** A new or reopened conflict. */
  conflict: { wid: number; doc: number; from: number; into: number; conflict: Conflict };
  /** At `seq`, a branch and its base were identical except for these keys. */
  knownDifference: { child: number; doc: number; seq: number; keys: readonly string[] };
  /** Announced to subscribers of the store. */
  change: { seq: number; wid: number; change: MemoryChange; tsMs: number };
  outcome: { scope: string; key: string; fingerprint: string; outcome: unknown; at: string };
};

export type PublishedMerge = {
  merge: number;
  wid: number;
  doc: number;
  into: number;
  /** Staged versions that are removed. */
  withdrawn: readonly number[];
  /** Staged keys that are no longer settled, or are settled differently. */
  unsettled: readonly string[];
  /** Staged conflicts that become open. The others are removed. */
  opened: readonly string[];
  /**
   * The merge's last version. All versions become visible at once, so only the counts of this last version
   * are ever read.
   */
  last: { seq: number; tally: Tally } | undefined;
};

export type WriteKind = keyof WriteKinds;

/** Rows of one kind are written in the given order, and kinds in the order above. */
export type Writes = { [Kind in WriteKind]?: WriteKinds[Kind][] };
