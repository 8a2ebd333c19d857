import type { EntryKind } from "../entry.ts";
import type { JobOutcome, TaskOutcome } from "./outcomes.ts";
import type { GraphApplied, MemoryStep, StepInput, StepName, StepOutcome } from "./step.ts";

/**
 * What each type of change reports to subscribers: names, numbers and kinds, but no text. A new kind of write needs an
 * entry here and in `stepChanges`.
 */
export type MemoryEvents = {
  workspace_created: { checkout: string };
  /** `restore` created the workspace with all of its contents. */
  workspace_restored: { entries: number; versions: number };
  memory_branch_created: { branch: string; base: string | null };
  memory_branch_renamed: { previous: string; current: string };
  memory_branch_deleted: { branch: string };
  memory_branch_restored: { branch: string };
  checkout_moved: { previous: string; current: string };
  note_committed: { branch: string; doc: string; seq: number; kind: EntryKind };
  notes_merged: { from: string; into: string; doc: string; merged: number };
  graph_applied: { branch: string; doc: string } & GraphCounts;
  graph_merged: { from: string; into: string; doc: string; merged: number; conflicts: number };
  conflict_resolved: { conflict_id: string; resolution: "use_from" | "use_into" };
  commit_created: { branch: string; doc: string; seq: number; parent: number | null };
  ref_moved: { branch: string; doc: string; previous: number | null; current: number };
  tag_created: { name: string; seq: number };
  tag_deleted: { name: string };
  /** Cards were written or changed. */
  cards_changed: { branch: string; graph_doc: string; nodes: number; edges: number; trace_seqs: number[] };
  /** An event in a plan or task. `seq` is the seq of the event's entry in the trace. */
  task_changed: { event_id: string; target: string; kind: string; path: string | null; seq: number };
  focus_moved: { focus: string | null };
  /** `removed` are anchors that were renamed or merged into another one. */
  anchors_changed: { anchors: string[]; removed: string[] };
  job_changed: { job: string; status: string; revision: number; seq: number };
};

type GraphCounts = Pick<
  GraphApplied,
  "nodes_upserted" | "nodes_deleted" | "edges_upserted" | "edges_deleted"
>;

export type MemoryEventType = keyof MemoryEvents;

export type MemoryChange = {
  [Type in MemoryEventType]: { type: Type; data: MemoryEvents[Type] };
}[MemoryEventType];

/** `undefined` if a step changed nothing. */
type StepChanges = {
  [Name in StepName]: (input: StepInput<Name>, outcome: StepOutcome<Name>) => MemoryChange | undefined;
};

const stepChanges: StepChanges = {
  // The store announces new workspaces.
  bootstrap: () => undefined,
  create_branch: (_, { created, name, base_branch }) =>
    created ? { type: "memory_branch_created", data: { branch: name, base: base_branch } } : undefined,
  rename_branch: (_, { previous, current }) =>
    previous === current ? undefined : { type: "memory_branch_renamed", data: { previous, current } },
  delete_branch: ({ name }) => ({ type: "memory_branch_deleted", data: { branch: name } }),
  restore_branch: (_, { name }) => ({ type: "memory_branch_restored", data: { branch: name } }),
  checkout: (_, { previous, current }) =>
    previous === current ? undefined : { type: "checkout_moved", data: { previous, current } },
  append: (_, { branch, doc, seq, kind }) => ({ type: "note_committed", data: { branch, doc, seq, kind } }),
  merge_notes: notesMerged,
  merge_thoughts: notesMerged,
  apply_graph: (_, { branch, doc, nodes_upserted, nodes_deleted, edges_upserted, edges_deleted }) =>
    nodes_upserted + nodes_deleted + edges_upserted + edges_deleted === 0
      ? undefined
      : {
          type: "graph_applied",
          data: { branch, doc, nodes_upserted, nodes_deleted, edges_upserted, edges_deleted },
        },
  merge_graph: ({ from, into, doc }, { merged, conflicts }) =>
    merged + conflicts.length === 0
      ? undefined
      : { type: "graph_merged", data: { from, into, doc, merged, conflicts: conflicts.length } },
  resolve_conflict: ({ id, resolution }) => ({
    type: "conflict_resolved",
    data: { conflict_id: id, resolution },
  }),
  commit: (_, { branch, doc, seq, parent }) => ({
    type: "commit_created",
    data: { branch, doc, seq, parent: parent ?? null },
  }),
  reset: (_, { previous, current: { branch, doc, seq } }) => ({
    type: "ref_moved",
    data: { branch, doc, previous: previous?.seq ?? null, current: seq },
  }),
  create_tag: (_, { name, seq }) => ({ type: "tag_created", data: { name, seq } }),
  delete_tag: ({ name }) => ({ type: "tag_deleted", data: { name } }),
  think: (_, { branch, graph_doc, nodes_upserted: nodes, edges_upserted: edges, entries }) =>
    nodes + edges + entries.length === 0
      ? undefined
      : {
          type: "cards_changed",
          data: { branch, graph_doc, nodes, edges, trace_seqs: entries.map(({ seq }) => seq) },
        },
  create_task: (_, outcome) => taskChange(outcome),
  change_task: (_, outcome) => taskChange(outcome),
  set_focus: (_, { focus }) => ({ type: "focus_moved", data: { focus } }),
  change_anchors: (_, { put, removed }) =>
    put.length + removed.length === 0
      ? undefined
      : { type: "anchors_changed", data: { anchors: put.map(({ id }) => id), removed: [...removed] } },
  create_job: (_, outcome) => jobChange(outcome),
  change_job: (_, outcome) => jobChange(outcome),
  // Heartbeats are not announced.
  runner_heartbeat: () => undefined,
};

function notesMerged(
  { from, into, doc }: StepInput<"merge_notes" | "merge_thoughts">,
  { merged }: StepOutcome<"merge_notes" | "merge_thoughts">,
): MemoryChange | undefined {
  return merged === 0 ? undefined : { type: "notes_merged", data: { from, into, doc, merged } };
}

const taskChange = ({ event }: TaskOutcome): MemoryChange => ({
  type: "task_changed",
  data: {
    event_id: event.event_id,
    target: event.target,
    kind: event.kind,
    path: event.path ?? null,
    seq: event.seq,
  },
});

const jobChange = ({ job, event_seq }: JobOutcome): MemoryChange => ({
  type: "job_changed",
  data: { job: job.id, status: job.status, revision: job.revision, seq: event_seq },
});

export function changeOf(step: MemoryStep, outcome: unknown): MemoryChange | undefined {
  const describe = stepChanges[step.do] as (input: unknown, outcome: unknown) => MemoryChange | undefined;
  return describe(step, outcome);
}
