import { changeAnchors } from "./anchors.ts";
import { bootstrap, checkout, createBranch, renameBranch, restoreBranch } from "./branches.ts";
import { think } from "./cards.ts";
import { append } from "./documents.ts";
import type { Deciding, Draft } from "./draft.ts";
import { applyGraph } from "./graph.ts";
import { changeJob, createJob, keepRunner } from "./jobs.ts";
import { mergeGraph, mergeThoughts, resolveConflict } from "./merges.ts";
import { commit, createTag, deleteTag, reset } from "./refs.ts";
import type { MemoryStep, StepInput, StepName, StepOutcome } from "./step.ts";
import { changeTask, createTask, setFocus } from "./tasks.ts";

type Rules = {
  [Name in StepName]?: (draft: Draft, input: StepInput<Name>) => Deciding<StepOutcome<Name> | undefined>;
};

const rules: Rules = {
  bootstrap,
  create_branch: createBranch,
  checkout,
  rename_branch: renameBranch,
  restore_branch: restoreBranch,
  append,
  apply_graph: applyGraph,
  merge_graph: mergeGraph,
  merge_thoughts: mergeThoughts,
  resolve_conflict: resolveConflict,
  commit,
  reset,
  create_tag: createTag,
  delete_tag: deleteTag,
  think,
  create_task: createTask,
  change_task: changeTask,
  set_focus: setFocus,
  create_job: createJob,
  change_job: changeJob,
  runner_heartbeat: keepRunner,
  change_anchors: changeAnchors,
};

export const isDecided = ({ do: name }: MemoryStep): boolean => rules[name] !== undefined;

export function decideStep(draft: Draft, step: MemoryStep): Deciding<unknown> {
  const { do: name, ...input } = step;
  const rule = rules[name] as (draft: Draft, input: unknown) => Deciding<unknown>;
  return rule(draft, input);
}
