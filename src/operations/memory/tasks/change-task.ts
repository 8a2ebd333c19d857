import * as z from "zod";
import { defaultBranch } from "../../../domain/memory/limits.ts";
import type { TaskOutcome } from "../../../domain/memory/steps/outcomes.ts";
import type { TaskDecision, TaskFacts } from "../../../domain/tasks/decision.ts";
import { taskFailure } from "../../../domain/tasks/failures.ts";
import { type Item, isClosed, itemStatuses, kindOf, reasoningRef } from "../../../domain/tasks/item.ts";
import type { Checkpoints } from "../../../domain/tasks/step-changes.ts";
import { fail, type MemoryContext } from "../../pipeline/context.ts";
import { wordTaskProblem } from "../../pipeline/recoveries/tasks.ts";
import { focusCleared } from "../define-memory.ts";
import { focusOf, requireTarget } from "../scope.ts";
import { eventSchema, itemSchema, refSchema, showItem, showStep, stepSchema } from "./fields.ts";

/** Returns the requested target, or the focus if none was requested. */
export function targetOf(memory: MemoryContext, asked: string | undefined): string {
  const { workspace, state } = memory;
  const id = asked ?? focusOf(memory);
  if (id === undefined) throw taskFailure("no_target", { workspace, cleared: state?.cleared });
  if (kindOf(id) === undefined) throw taskFailure("unknown_target", { workspace, target: id });
  return id;
}

/** Returns the requested task, or the focus if none was requested. Refuses a plan. */
export function taskOf(memory: MemoryContext, asked: string | undefined): string {
  const id = targetOf(memory, asked);
  if (kindOf(id) !== "task")
    throw taskFailure("wrong_target", {
      workspace: memory.workspace,
      target: id,
      wanted: "task",
      field: "target",
    });
  return id;
}

export const readTargetItem = async (memory: MemoryContext, asked: string | undefined): Promise<Item> =>
  requireTarget(memory, targetOf(memory, asked));

/** Finds the target of a read. Returns `undefined` if there is no target, no focus and no plan. */
export async function findTargetItem(
  memory: MemoryContext,
  asked: string | undefined,
): Promise<Item | undefined> {
  const { state, workspace } = memory;
  if (asked !== undefined || state?.focus !== undefined) return readTargetItem(memory, asked);
  const { items } = state
    ? await memory.memory.listItems(workspace, { kind: "plan", after: 0, limit: 1 })
    : { items: [] };
  if (items.length > 0) return readTargetItem(memory, asked);
  memory.suggest({
    operation: "tasks_create",
    args: { workspace, title: "What needs to be done" },
    reason: "There are no plans or tasks yet. Add steps to create a task.",
    priority: "high",
  });
  return undefined;
}

export async function findOpenDependency(
  { memory, workspace }: Pick<MemoryContext, "memory" | "workspace">,
  { depends_on = [] }: Item,
): Promise<string | undefined> {
  for (const id of depends_on) {
    const other = await memory.readItem(workspace, id);
    if (other && !isClosed(other)) return id;
  }
  return undefined;
}

export const changedTask = {
  target: itemSchema,
  steps: z.array(stepSchema),
  event: eventSchema.omit({ ts: true, target: true }),
  reasoning_ref: refSchema.optional(),
  /** Set if the status of the plan changed with the task. */
  plan: z.strictObject({ id: z.string(), status: z.enum(itemStatuses) }).optional(),
};

export const showChange = ({ item, steps, plan, event: { target: _same, ...event } }: TaskOutcome) => ({
  target: showItem(item),
  steps: steps.map(showStep),
  event,
  reasoning_ref: reasoningRef(item.id),
  ...(plan && { plan: { id: plan.id, status: plan.status } }),
});

export async function changeTask(
  memory: MemoryContext,
  target: string,
  agent_id: string | undefined,
  decide: (facts: TaskFacts, agent_id: string | undefined) => TaskDecision,
  { takesFocus = false } = {},
): Promise<TaskOutcome> {
  const agent = agent_id ?? memory.settings.agentId;
  const change = {
    do: "change_task",
    target,
    agent_id: agent,
    decide: (facts: TaskFacts) => decide(facts, agent),
  } as const;
  const [outcome] = takesFocus
    ? await memory.commit([change, { do: "set_focus", target, isOwn: true }])
    : await memory.commit([change]);
  const { focus, foreign, checkout = defaultBranch } = memory.state ?? {};
  for (const item of [outcome.item, ...(outcome.plan ? [outcome.plan] : [])])
    if (isClosed(item) && focus === item.id && !foreign?.focus)
      memory.warn(focusCleared(item, `branch ${checkout}`));
  return outcome;
}

const checkpointSchema = z.strictObject({
  criteria: z.strictObject({ confirmed: z.boolean() }).optional(),
  tests: z.strictObject({ confirmed: z.boolean() }).optional(),
});

/** Accepts `"gate"`, `"all"`, or an object that lists what is confirmed. The object may be JSON text. */
export function readCheckpoints(given: unknown, operation: string): Checkpoints {
  if (given === "gate" || given === "all") return given;
  const parsed = checkpointSchema.safeParse(typeof given === "string" ? parse(given) : given);
  if (parsed.success) return parsed.data;
  return refuseTask(operation, {
    problem: 'checkpoints must be "gate", "all", or {criteria: {confirmed}, tests: {confirmed}}.',
    kind: "choose_one",
    field: "checkpoints",
    expected: ["gate", "all", '{"criteria":{"confirmed":true},"tests":{"confirmed":true}}'],
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Refuses a call that breaks a rule that the operation's schema cannot express. */
export function refuseTask(operation: string, problem: Parameters<typeof wordTaskProblem>[0]): never {
  const { message, ...options } = wordTaskProblem(problem, operation);
  return fail("INVALID_PAYLOAD", message, options);
}

export function suggestNext(memory: MemoryContext, { item }: TaskOutcome): void {
  memory.suggest({
    operation: "tasks_radar",
    args: { workspace: memory.workspace, target: item.id },
    reason: "See what is next.",
    priority: "medium",
  });
}
