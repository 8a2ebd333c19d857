import type { Item, Step } from "../../tasks/item.ts";
import type { Job } from "../../tasks/job.ts";
import type { Entry } from "../entry.ts";
import type { GraphState } from "../graph.ts";
import type { ThoughtCopy } from "../merge/merge-notes.ts";

export type Branch = {
  name: string;
  base_branch: string | null;
  base_seq: number | null;
  created_at_ms: number;
  deleted_at_ms?: number;
};

/** A document's ref on a branch. `commit` and `reset` move the ref. */
export type Ref = { branch: string; doc: string; seq: number };

export type Commit = Entry & { parent: number | undefined };

export type Tag = { name: string; seq: number; branch: string; doc: string; created_at_ms: number };

/** Copies the notes that are visible on `from` but not on `into`, oldest first, starting after `after`. */
export type NoteMerge = { from: string; into: string; doc: string; after: number; limit: number };

/**
 * Copies the thoughts that are not yet visible on `into`, in the given order. The caller supplies the other
 * fields of the outcome.
 */
export type ThoughtMerge = {
  from: string;
  into: string;
  doc: string;
  thoughts: readonly ThoughtCopy[];
} & Pick<NoteMergeOutcome, "skipped" | "lastSeq" | "hasMore">;

export type NoteMergeOutcome = { merged: number; skipped: number; lastSeq: number; hasMore: boolean };

export type GraphPlace = { branch: string; doc: string };

/**
 * If `limit` is absent, all keys are merged at once. If there are more keys than one call accepts, the merge
 * is refused.
 */
export type GraphMerge = {
  from: string;
  into: string;
  doc: string;
  after: number;
  limit?: number | undefined;
};

export type ConflictStatus = "open" | "resolved";

export type Conflict = {
  conflict_id: string;
  kind: "node" | "edge";
  key: string;
  from: string;
  into: string;
  doc: string;
  status: ConflictStatus | "preview";
  base: GraphState | null;
  theirs: GraphState;
  ours: GraphState | null;
  created_at_ms: number;
  resolved_at_ms?: number;
  /** `moot`: a later merge found that the conflict no longer exists. */
  resolution?: "use_from" | "use_into" | "moot";
};

export type GraphMergeOutcome = {
  merged: number;
  skipped: number;
  /** How many keys of the source the merge covers, including those settled earlier. */
  looked: number;
  /** The number of keys that the merge compared. */
  total: number;
  /** The conflicts that this merge added. */
  conflicts: Conflict[];
  /** How many conflicts between the two branches are unresolved in total. */
  conflictsOpen: number;
  summary: {
    conflicts: number;
    nodes_changed: number;
    edges_changed: number;
    node_fields_changed: number;
    edge_fields_changed: number;
  };
  lastSeq: number;
  hasMore: boolean;
};

export type StoredTaskEvent = {
  event_id: string;
  /** The seq of the event's trace entry. */
  seq: number;
  ts_ms: number;
  target: string;
  kind: string;
  summary: string;
  path?: string | undefined;
  step_id?: string | undefined;
  agent_id?: string | undefined;
  data?: Record<string, unknown> | undefined;
};

export type TaskOutcome = {
  item: Item;
  steps: readonly Step[];
  event: StoredTaskEvent;
  note_seq?: number;
  /** Set if the change to the task also changed its plan. */
  plan?: Item;
};

export type JobOutcome = { job: Job; event_seq: number };
