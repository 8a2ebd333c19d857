import type { TaskDecision, TaskFacts } from "../../tasks/decision.ts";
import type { Creation } from "../../tasks/item-changes.ts";
import type { Job, Runner } from "../../tasks/job.ts";
import type { JobDecision, NewJob } from "../../tasks/job-changes.ts";
import type { ThinkDecision, ThinkFacts, ThinkOutcome } from "../cards/decide-cards.ts";
import type { Entry, NewEntry } from "../entry.ts";
import type { GraphOp } from "../graph.ts";
import type { AnchorDecision, AnchorFacts } from "../meaning-map/change-anchors.ts";
import type { StagedMerge } from "../merge/large-merge.ts";
import type {
  Branch,
  Commit,
  GraphMerge,
  GraphMergeOutcome,
  GraphPlace,
  JobOutcome,
  NoteMerge,
  NoteMergeOutcome,
  Ref,
  Tag,
  TaskOutcome,
  ThoughtMerge,
} from "./outcomes.ts";

export type GraphApplied = {
  nodes_upserted: number;
  nodes_deleted: number;
  edges_upserted: number;
  edges_deleted: number;
  last_seq: number;
  last_ts_ms: number;
};

/**
 * Everything that can be written, and what each write returns. A place without a branch means the checkout. A `decide`
 * function must be pure, because it may run again.
 */
type Steps = ThinkSteps & TaskSteps & AnchorSteps & DocumentSteps;

type AnchorSteps = {
  /** The decision depends on whether cards have the tags in `names`. */
  change_anchors: [
    input: { names: readonly string[]; decide(facts: AnchorFacts): AnchorDecision },
    outcome: AnchorDecision,
  ];
};

type TaskSteps = {
  /** If `inNewPlan` is set, the parent is the plan that the previous step created. */
  create_task: [
    input: { creation: Creation; agent_id?: string | undefined; inNewPlan?: true },
    outcome: TaskOutcome,
  ];
  /** Writes the row, the event, a trace entry with the same event ID and the projection into the graph. */
  change_task: [
    input: { target: string; agent_id?: string | undefined; decide(facts: TaskFacts): TaskDecision },
    outcome: TaskOutcome,
  ];
  /**
   * Sets the agent's focus and the workspace's newest focus. If `isOwn` is set, sets only the agent's focus.
   * Clearing keeps the workspace's focus if it differs from `was`.
   */
  set_focus: [
    input: { target: string | undefined; was?: string | undefined; isOwn?: boolean },
    outcome: { focus: string | null },
  ];
  create_job: [input: { job: NewJob }, outcome: JobOutcome];
  /** If `job` is absent, changes the oldest job with the highest priority. */
  change_job: [
    input: {
      job?: string | undefined;
      /** Include jobs whose runner has missed its deadline. */
      stale?: boolean | undefined;
      decide(facts: { workspace: string; now_ms: number; job: Job }): JobDecision;
    },
    outcome: JobOutcome,
  ];
  runner_heartbeat: [
    input: {
      runner_id: string;
      decide(facts: { runner: Runner | undefined; now_ms: number }): Runner;
    },
    outcome: { runner: Runner },
  ];
};

/** Changes to the cards of one graph, decided from the facts about `ids`. */
export type ThinkInput = {
  branch?: string | undefined;
  graph_doc: string;
  trace_doc: string;
  ids: readonly string[];
  decide(facts: ThinkFacts): ThinkDecision<unknown>;
};

type ThinkSteps = { think: [input: ThinkInput, outcome: ThinkOutcome<unknown>] };

type DocumentSteps = {
  bootstrap: [input: object, outcome: { checkout: string }];
  create_branch: [
    input: { name: string; from?: string | undefined; ifMissing?: true },
    outcome: Branch & { created: boolean },
  ];
  checkout: [input: { ref: string }, outcome: { previous: string; current: string }];
  rename_branch: [input: { old: string; new: string }, outcome: { previous: string; current: string }];
  delete_branch: [
    input: { name: string },
    outcome: { deleted: true; unmerged_entries: number; unmerged_keys: number },
  ];
  /** Restores the most recently deleted branch with this name. */
  restore_branch: [input: { name: string; as?: string | undefined }, outcome: Branch];
  append: [input: { branch?: string | undefined; doc: string; entry: NewEntry }, outcome: Entry];
  merge_notes: [input: NoteMerge, outcome: NoteMergeOutcome];
  merge_thoughts: [input: ThoughtMerge, outcome: NoteMergeOutcome];
  apply_graph: [
    input: { branch?: string | undefined; doc: string; ops: readonly GraphOp[] },
    outcome: GraphPlace & GraphApplied,
  ];
  /**
   * Merges while other writers wait. If there are more keys than `atOnce`, merges nothing and returns
   * `undefined`. If `staged` is set, publishes a large merge.
   */
  merge_graph: [input: GraphMerge & { atOnce?: number; staged?: StagedMerge }, outcome: GraphMergeOutcome];
  resolve_conflict: [
    input: { id: string; resolution: "use_from" | "use_into" },
    outcome: { applied: boolean },
  ];
  /** Appends an entry to a document and moves the document's ref to it. */
  commit: [input: { branch?: string | undefined; doc: string; entry: NewEntry }, outcome: Commit];
  reset: [
    input: { branch: string; doc: string; seq: number },
    outcome: { previous: Ref | undefined; current: Ref },
  ];
  create_tag: [input: { name: string; seq: number; force: boolean }, outcome: Tag];
  delete_tag: [input: { name: string }, outcome: { deleted: true }];
};

export type StepName = keyof Steps;
export type StepInput<Name extends StepName> = Steps[Name][0];
export type StepOutcome<Name extends StepName> = Steps[Name][1];

export type MemoryStep = { [Name in StepName]: { do: Name } & StepInput<Name> }[StepName];

export type Outcomes<List extends readonly MemoryStep[]> = {
  [At in keyof List]: List[At] extends { do: infer Name extends StepName } ? StepOutcome<Name> : never;
};
