import type { MemoryStep, StepInput, StepName, StepOutcome } from "../../../domain/memory/steps/step.ts";
import { checkout, createBranch, deleteBranch, renameBranch, restoreBranch } from "./branches.ts";
import { insertEntry } from "./documents/entries.ts";
import { mergeNotes } from "./documents/merge-notes.ts";
import { mergeThoughts } from "./documents/merge-thoughts.ts";
import { applyGraph } from "./graph/apply-graph.ts";
import { changeAnchors } from "./meaning-map/anchors.ts";
import { resolveConflict } from "./merge/conflicts.ts";
import { mergeGraph } from "./merge/merge-graph.ts";
import { branchOrCheckout, type Place } from "./places.ts";
import { commitEntry, createTag, deleteTag, resetRef } from "./refs/refs.ts";
import { changeTask, createTask, setFocus } from "./tasks/change-task.ts";
import { changeJob, createQueuedJob, keepRunner } from "./tasks/jobs.ts";
import { think } from "./thinking/think.ts";

type StepHandlers = {
  [Name in StepName]: (place: Place, input: StepInput<Name>, at: Date) => StepOutcome<Name>;
};

const stepHandlers: StepHandlers = {
  bootstrap: (place) => ({ checkout: branchOrCheckout(place, undefined).name }),
  create_branch: createBranch,
  checkout,
  rename_branch: renameBranch,
  delete_branch: deleteBranch,
  restore_branch: restoreBranch,
  append: (place, { branch, doc, entry }, at) =>
    insertEntry(place, branchOrCheckout(place, branch), doc, entry, at, { appended: true }),
  merge_notes: mergeNotes,
  merge_thoughts: mergeThoughts,
  apply_graph: applyGraph,
  merge_graph: mergeGraph,
  resolve_conflict: resolveConflict,
  commit: commitEntry,
  reset: resetRef,
  create_tag: createTag,
  delete_tag: deleteTag,
  think,
  create_task: createTask,
  change_task: changeTask,
  set_focus: setFocus,
  create_job: createQueuedJob,
  change_job: changeJob,
  runner_heartbeat: keepRunner,
  change_anchors: changeAnchors,
};

export function doStep(place: Place, step: MemoryStep, at: Date): unknown {
  const { do: name, ...input } = step;
  return (stepHandlers[name] as (place: Place, input: unknown, at: Date) => unknown)(place, input, at);
}
