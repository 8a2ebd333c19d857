import type { Entry, NewEntry } from "../../domain/memory/entry.ts";
import type { GraphOp } from "../../domain/memory/graph-ops.ts";
import type { MergeOutcome } from "../../domain/memory/merge/plan-merge.ts";
import type { AnchorSteps } from "./anchors.ts";
import type { NoteMerge, NoteMergeOutcome, ThoughtMerge } from "./documents.ts";
import type { GraphMerge, GraphPlace } from "./graph.ts";
import type { Commit, Ref, Tag } from "./refs.ts";
import type { TaskSteps } from "./tasks.ts";
import type { ThinkSteps } from "./thinking.ts";
import type { Branch } from "./workspaces.ts";

export type GraphApplied = {
  nodes_upserted: number;
  nodes_deleted: number;
  edges_upserted: number;
  edges_deleted: number;
  last_seq: number;
  last_ts_ms: number;
};

/** Everything that can be written, and what doing it tells. A place without a branch is on the checkout. */
type Steps = ThinkSteps & TaskSteps & AnchorSteps & DocumentSteps;

type DocumentSteps = {
  /** Only that the workspace exists. */
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
  /** The branch of that name that was deleted last, back as it was. */
  restore_branch: [input: { name: string; as?: string | undefined }, outcome: Branch];
  append: [input: { branch?: string | undefined; doc: string; entry: NewEntry }, outcome: Entry];
  merge_notes: [input: NoteMerge, outcome: NoteMergeOutcome];
  merge_thoughts: [input: ThoughtMerge, outcome: NoteMergeOutcome];
  apply_graph: [
    input: { branch?: string | undefined; doc: string; ops: readonly GraphOp[] },
    outcome: GraphPlace & GraphApplied,
  ];
  merge_graph: [input: GraphMerge, outcome: MergeOutcome];
  resolve_conflict: [
    input: { id: string; resolution: "use_from" | "use_into" },
    outcome: { applied: boolean },
  ];
  /** Appends to a document and moves its ref there. */
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
