import type { Change, TaskDecision, TaskFacts } from "./decision.ts";
import { taskFailure } from "./failures.ts";
import {
  type Item,
  type ItemFields,
  type ItemKind,
  type ItemStatus,
  type NewStep,
  planId,
  taskId,
} from "./item.ts";
import { addSteps, touch } from "./step-changes.ts";
import { countSteps } from "./steps.ts";

export type ItemEdit = Change & ItemFields & { title?: string | undefined };

export function editItem(facts: TaskFacts, { agent_id, expected_revision, ...edit }: ItemEdit): TaskDecision {
  const fields = Object.entries(edit).filter(([, value]) => value !== undefined);
  if (fields.length === 0)
    throw taskFailure("invalid_task", {
      problem: "Pass at least one field to change.",
      kind: "missing",
      field: "title",
      doing: "editing",
    });
  const changed = { ...touch(facts, { agent_id, expected_revision }), status: facts.item.status };
  return {
    item: { ...changed, ...Object.fromEntries(fields) } as Item,
    steps: [],
    event: {
      kind: `${facts.item.kind}_edited`,
      summary: `${facts.item.id}: ${fields.map(([name]) => name).join(", ")} changed`,
      data: { fields: fields.map(([name]) => name) },
    },
  };
}

export type Completion = Change & {
  status?: ItemStatus | undefined;
  parked_for_s?: number | undefined;
  parked_until_ts_ms?: number | undefined;
};

/** Sets an item's status. Default: DONE. An item cannot be done while one of its steps or tasks is open. */
export function completeItem(facts: TaskFacts, completion: Completion): TaskDecision {
  const { status = "DONE", parked_for_s, parked_until_ts_ms } = completion;
  const { item, workspace } = facts;
  if (status !== "PARKED" && (parked_for_s !== undefined || parked_until_ts_ms !== undefined))
    throw invalid("parked_for_s and parked_until_ts_ms need status PARKED.", "parked_for_s");
  if (parked_for_s !== undefined && parked_until_ts_ms !== undefined)
    throw invalid("Pass either parked_for_s or parked_until_ts_ms.", "parked_for_s");
  if (status === "DONE") requireNothingOpen(facts);
  const until =
    parked_until_ts_ms ?? (parked_for_s === undefined ? undefined : facts.now_ms + parked_for_s * 1000);
  const { parked_until_ts_ms: _before, ...rest } = touch(facts, completion);
  return {
    item: { ...rest, status, ...(until !== undefined && { parked_until_ts_ms: until }) },
    steps: [],
    event: {
      kind: `${item.kind}_${status.toLowerCase()}`,
      summary: `${item.id}: ${item.status} → ${status}`,
      data: { from: item.status, to: status, ...(until !== undefined && { parked_until_ts_ms: until }) },
    },
  };

  function invalid(problem: string, field: string) {
    return taskFailure("invalid_task", { problem, kind: "choose_one", field, doing: "completing" });
  }

  function requireNothingOpen({ steps, openTasks }: TaskFacts): void {
    const { open, first_open } = countSteps(steps);
    if (open > 0)
      throw taskFailure("steps_open", { workspace, target: item.id, open, path: first_open?.path ?? "" });
    if (openTasks > 0) throw taskFailure("tasks_open", { workspace, plan: item.id, open: openTasks });
  }
}

/**
 * Updates a plan after a task changed. The plan becomes active when work begins, done when work has begun and
 * no task is open, and active again if a task is added or reopened. Parked and cancelled plans never change.
 * Returns `undefined` if the plan does not change.
 */
export function followTask(
  plan: Item,
  task: Item,
  openTasks: number,
  now_ms: number,
): TaskDecision | undefined {
  const status = planStatus(plan.status, task.status, openTasks);
  if (status === plan.status) return undefined;
  return {
    item: { ...plan, status, revision: plan.revision + 1, updated_at_ms: now_ms },
    steps: [],
    event: {
      kind: `plan_${status.toLowerCase()}`,
      summary: `${plan.id}: ${plan.status} → ${status}`,
      data: { from: plan.status, to: status, because_of: task.id },
    },
  };
}

function planStatus(plan: ItemStatus, task: ItemStatus, openTasks: number): ItemStatus {
  if (plan === "PARKED" || plan === "CANCELED") return plan;
  if (openTasks === 0) return task === "DONE" || plan === "ACTIVE" ? "DONE" : plan;
  return plan === "DONE" || task === "ACTIVE" || task === "DONE" ? "ACTIVE" : plan;
}

export type Creation = ItemFields & {
  kind?: ItemKind | undefined;
  parent?: string | undefined;
  title: string;
  steps?: readonly NewStep[] | undefined;
};

type CreationFacts = {
  workspace: string;
  parent: Item | undefined;
  next: { plan: number; task: number; step: number };
  now_ms: number;
};

/** Creates a plan or task. By default, an item with a parent is a task, and any other item is a plan. */
export function createItem(facts: CreationFacts, creation: Creation): TaskDecision {
  const { kind: asked, parent, title, steps = [], ...fields } = creation;
  const kind = asked ?? (parent === undefined ? "plan" : "task");
  checkPlace(facts, kind, parent);
  if (kind === "plan" && steps.length > 0)
    throw invalid("A plan has tasks. Steps belong to a task.", "type", "steps");
  const item: Item = {
    id: kind === "plan" ? planId(facts.next.plan) : taskId(facts.next.task),
    kind,
    ...(parent !== undefined && { parent }),
    title,
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
    status: "TODO",
    revision: 1,
    created_at_ms: facts.now_ms,
    updated_at_ms: facts.now_ms,
  };
  const added = addSteps(
    { workspace: facts.workspace, item, steps: [], nextStep: facts.next.step },
    undefined,
    steps,
  );
  return {
    item,
    steps: added,
    event: {
      kind: `${kind}_created`,
      summary: `${item.id}: ${title}`,
      data: { title, ...(parent !== undefined && { parent }), steps: added.length },
    },
    nextStep: facts.next.step + added.length,
  };
}

function checkPlace(
  { workspace, parent: found }: CreationFacts,
  kind: ItemKind,
  parent: string | undefined,
): void {
  if (kind === "plan") {
    if (parent !== undefined) throw invalid("A plan has no parent. Omit parent.", "type", "parent");
    return;
  }
  if (parent === undefined) throw invalid("A task needs a plan: pass parent.", "missing", "parent");
  if (!found) throw taskFailure("unknown_target", { workspace, target: parent });
  if (found.kind !== "plan")
    throw taskFailure("wrong_target", { workspace, target: parent, wanted: "plan", field: "parent" });
}

const invalid = (problem: string, kind: string, field: string) =>
  taskFailure("invalid_task", { problem, kind, field, doing: "creating" });
