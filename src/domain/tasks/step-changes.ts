import { count } from "../../kernel/numbers.ts";
import type { Change, TaskDecision, TaskFacts } from "./decision.ts";
import { taskFailure } from "./failures.ts";
import { type Item, type NewStep, type Step, stepId, taskLimits } from "./item.ts";
import { requireFree } from "./lease.ts";
import {
  depthOf,
  findStep,
  openBelow,
  openCheckpoints,
  parentOf,
  partsOf,
  pathBelow,
  type StepRef,
} from "./steps.ts";

/** What to confirm: all criteria, all tests, or both. */
export type Checkpoints =
  | "gate"
  | "all"
  | { criteria?: { confirmed: boolean } | undefined; tests?: { confirmed: boolean } | undefined };

export type StepChange = Change & StepRef;

type StepFacts = Pick<TaskFacts, "workspace" | "item" | "steps" | "nextStep">;

/** Adds steps after the existing ones, below `parent` or at the top level. */
export function addSteps(
  { workspace, item, steps, nextStep }: StepFacts,
  parent: string | undefined,
  added: readonly NewStep[],
): Step[] {
  if (steps.length + added.length > taskLimits.steps)
    throw taskFailure("too_many_steps", { workspace, task: item.id, max: taskLimits.steps });
  if (parent !== undefined && depthOf(parent) >= taskLimits.depth)
    throw taskFailure("invalid_task", {
      problem: `Steps can be nested at most ${taskLimits.depth} levels deep.`,
      kind: "length",
      field: "parent",
      doing: "decomposing",
    });
  const first = 1 + Math.max(-1, ...steps.filter(({ path }) => parentOf(path) === parent).map(lastPart));
  return added.map(({ title, success_criteria = [], tests = [], blockers = [] }, at) => ({
    step_id: stepId(nextStep + at),
    task: item.id,
    path: pathBelow(parent, first + at),
    title,
    success_criteria: [...success_criteria],
    tests: [...tests],
    blockers: [...blockers],
    criteria_confirmed: false,
    tests_confirmed: false,
    completed: false,
  }));
}

const lastPart = ({ path }: Step): number => partsOf(path).at(-1) ?? 0;

export function decompose(
  facts: TaskFacts,
  { parent, steps, ...change }: Change & { parent?: string | undefined; steps: readonly NewStep[] },
): TaskDecision {
  const above = parent === undefined ? undefined : pick(facts, { path: parent, ...change });
  if (above?.completed)
    throw taskFailure("step_completed", {
      workspace: facts.workspace,
      task: facts.item.id,
      path: above.path,
    });
  const added = addSteps(facts, parent, steps);
  return {
    item: touch(facts, change),
    steps: added,
    event: {
      kind: "steps_added",
      summary: `${count(added.length, "step")} added${parent === undefined ? "" : ` below ${parent}`}`,
      path: parent,
      data: { paths: added.map(({ path }) => path) },
    },
    nextStep: facts.nextStep + added.length,
  };
}

export function defineStep(
  facts: TaskFacts,
  {
    title,
    success_criteria,
    tests,
    blockers,
    ...change
  }: StepChange & { [Field in keyof NewStep]?: NewStep[Field] | undefined },
): TaskDecision {
  const step = pick(facts, change);
  refuseCompleted(facts, step);
  const next: Step = {
    ...step,
    ...(title !== undefined && { title }),
    ...(success_criteria !== undefined && {
      success_criteria: [...success_criteria],
      criteria_confirmed: false,
    }),
    ...(tests !== undefined && { tests: [...tests], tests_confirmed: false }),
    ...(blockers !== undefined && { blockers: [...blockers] }),
  };
  return stepDecided(facts, change, next, "step_defined", `${step.path} ${next.title}`);
}

/** Adds a note to a task or one of its steps. `to` is the agent whose inbox shows the note. */
export function noteStep(
  facts: TaskFacts,
  { note, to, ...change }: StepChange & { note: string; to?: string | undefined },
): TaskDecision {
  const named = change.path !== undefined || change.step_id !== undefined;
  const step = named ? pick(facts, change) : undefined;
  const item = touch(facts, change);
  return {
    // A message to an agent is not work on the task, so it does not change the status.
    item: to === undefined ? item : { ...item, status: facts.item.status },
    steps: [],
    event: {
      kind: "noted",
      summary: firstLine(note),
      ...(step && { path: step.path, step_id: step.step_id }),
      ...(to !== undefined && { data: { to } }),
    },
    note: { content: note, step },
  };
}

export function verifyStep(
  facts: TaskFacts,
  { checkpoints, ...change }: StepChange & { checkpoints: Checkpoints },
): TaskDecision {
  const step = pick(facts, change);
  refuseCompleted(facts, step);
  const next = confirm(step, checkpoints);
  const { criteria, tests } = openCheckpoints(next);
  const data = { criteria_confirmed: !criteria, tests_confirmed: !tests };
  return stepDecided(facts, change, next, "step_verified", `${step.path} ${step.title}: verified`, data);
}

export function doneStep(facts: TaskFacts, change: StepChange): TaskDecision {
  const step = pick(facts, change);
  return stepDecided(facts, change, complete(facts, step), "step_done", `${step.path} ${step.title}: done`);
}

/** Confirms the criteria and tests of a step and completes it. */
export function closeStep(
  facts: TaskFacts,
  { checkpoints, ...change }: StepChange & { checkpoints: Checkpoints },
): TaskDecision {
  const step = pick(facts, change);
  refuseCompleted(facts, step);
  const next = complete(facts, confirm(step, checkpoints));
  return stepDecided(facts, change, next, "step_done", `${step.path} ${step.title}: verified and done`);
}

function pick(facts: TaskFacts, change: StepChange): Step {
  const step = findStep(facts.steps, change, { workspace: facts.workspace, task: facts.item.id });
  requireFree(facts, step, change.agent_id);
  return step;
}

function refuseCompleted({ workspace, item }: TaskFacts, { path, completed }: Step): void {
  if (completed) throw taskFailure("step_completed", { workspace, task: item.id, path });
}

function confirm(step: Step, checkpoints: Checkpoints): Step {
  if (checkpoints === "gate" || checkpoints === "all")
    return { ...step, criteria_confirmed: true, tests_confirmed: true };
  return {
    ...step,
    criteria_confirmed: checkpoints.criteria?.confirmed ?? step.criteria_confirmed,
    tests_confirmed: checkpoints.tests?.confirmed ?? step.tests_confirmed,
  };
}

function complete(facts: TaskFacts, step: Step): Step {
  refuseCompleted(facts, step);
  const where = { workspace: facts.workspace, task: facts.item.id, path: step.path };
  const missing = openCheckpoints(step);
  if (missing.criteria || missing.tests) throw taskFailure("checkpoints_open", { ...where, ...missing });
  const below = openBelow(facts.steps, step.path);
  if (below) throw taskFailure("substeps_open", { ...where, below: below.path });
  const { lease: _lease, ...rest } = step;
  return { ...rest, completed: true, completed_at_ms: facts.now_ms };
}

function stepDecided(
  facts: TaskFacts,
  change: Change,
  step: Step,
  kind: string,
  summary: string,
  data?: Record<string, unknown>,
): TaskDecision {
  return {
    item: touch(facts, change),
    steps: [step],
    event: { kind, summary, path: step.path, step_id: step.step_id, ...(data && { data }) },
  };
}

/** Increases the revision and activates an item that has not started. Refuses an outdated revision. */
export function touch(
  { workspace, item, now_ms }: Pick<TaskFacts, "workspace" | "item" | "now_ms">,
  { expected_revision }: Change,
): Item {
  if (expected_revision !== undefined && expected_revision !== item.revision)
    throw taskFailure("stale_revision", {
      workspace,
      target: item.id,
      expected: expected_revision,
      current: item.revision,
    });
  return {
    ...item,
    status: item.status === "TODO" ? "ACTIVE" : item.status,
    revision: item.revision + 1,
    updated_at_ms: now_ms,
  };
}

const firstLine = (text: string): string => text.trim().split("\n", 1)[0]?.slice(0, 200) ?? "";
