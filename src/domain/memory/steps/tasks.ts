import type { TaskDecision } from "../../tasks/decision.ts";
import { taskFailure } from "../../tasks/failures.ts";
import {
  eventId,
  type Item,
  isClosed,
  kindOf,
  numberOf,
  planId,
  reasoningRef,
  type Step,
} from "../../tasks/item.ts";
import { createItem, followTask } from "../../tasks/item-changes.ts";
import { endIdleLeases, holdersToHear } from "../../tasks/lease.ts";
import { eventEntry, noteEntry, projectChange } from "../../tasks/projection.ts";
import { inOrder } from "../../tasks/steps.ts";
import { addBranch } from "./branches.ts";
import {
  addEntry,
  type Deciding,
  type Draft,
  keepPlace,
  keepTold,
  known,
  learn,
  maybeKnown,
  need,
  requireBranch,
  takeNumbers,
  workspaceOf,
  write,
} from "./draft.ts";
import { noteUnwritten } from "./facts.ts";
import { addVersions, contentOf } from "./graph-draft.ts";
import type { StoredTaskEvent, TaskOutcome } from "./outcomes.ts";
import type { StepInput, StepOutcome } from "./step.ts";

export function* createTask(
  draft: Draft,
  { creation: asked, agent_id, inNewPlan }: StepInput<"create_task">,
): Deciding<StepOutcome<"create_task">> {
  const parent = inNewPlan ? planId(known(draft, "counter", "plan")) : asked.parent;
  const creation = { ...asked, parent };
  yield* need(
    draft,
    { kind: "counter", keys: ["plan", "task", "step", "event"] },
    { kind: "lastRow", keys: ["branch"] },
    parent === undefined ? undefined : { kind: "item", keys: [parent] },
    parent === undefined ? undefined : { kind: "branch", keys: [reasoningRef(parent).branch] },
  );
  const next = (name: "plan" | "task" | "step") => known(draft, "counter", name) + 1;
  const decision = createItem(
    {
      workspace: draft.workspace,
      parent: parent === undefined ? undefined : known(draft, "item", parent),
      next: { plan: next("plan"), task: next("task"), step: next("step") },
      now_ms: draft.at.getTime(),
    },
    creation,
  );
  const { id, kind } = decision.item;
  yield* addBranch(draft, reasoningRef(id).branch, undefined);
  takeNumbers(draft, kind, numberOf(id));
  const outcome = yield* carryOut(draft, { before: undefined, known: [], decision, agent_id });
  return yield* withPlan(draft, undefined, outcome, agent_id);
}

export function* changeTask(
  draft: Draft,
  { target, agent_id, decide }: StepInput<"change_task">,
): Deciding<StepOutcome<"change_task">> {
  yield* need(
    draft,
    { kind: "item", keys: [target] },
    kindOf(target) === "plan" ? { kind: "openTasks", keys: [target] } : { kind: "steps", keys: [target] },
    { kind: "counter", keys: ["event", "step"] },
    { kind: "branch", keys: [reasoningRef(target).branch] },
  );
  const item = known(draft, "item", target);
  if (!item) throw taskFailure("unknown_target", { workspace: draft.workspace, target });
  const now_ms = draft.at.getTime();
  const stored = item.kind === "task" ? known(draft, "steps", target) : [];
  yield* need(draft, { kind: "heard", keys: holdersToHear(stored, now_ms) });
  const steps = endIdleLeases(stored, now_ms, (key) => known(draft, "heard", key));
  const decision = decide({
    workspace: draft.workspace,
    item,
    steps,
    openTasks: item.kind === "plan" ? known(draft, "openTasks", target) : 0,
    event: known(draft, "counter", "event") + 1,
    now_ms,
    nextStep: known(draft, "counter", "step") + 1,
    agent: draft.by,
  });
  const outcome = yield* carryOut(draft, { before: item, known: steps, decision, agent_id });
  return yield* withPlan(draft, item, outcome, agent_id);
}

/** If a task's status changed, updates its plan in the same transaction, with a separate event. */
function* withPlan(
  draft: Draft,
  before: Item | undefined,
  outcome: TaskOutcome,
  agent_id: string | undefined,
): Deciding<TaskOutcome> {
  const { item: task } = outcome;
  if (task.parent === undefined || before?.status === task.status) return outcome;
  yield* need(draft, { kind: "item", keys: [task.parent] });
  // The count is needed only if the task was closed.
  if (isClosed(task)) yield* need(draft, { kind: "openTasks", keys: [task.parent] });
  const open = isClosed(task) ? known(draft, "openTasks", task.parent) : 1;
  const plan = known(draft, "item", task.parent);
  const decision = plan && followTask(plan, task, open, draft.at.getTime());
  if (!decision) return outcome;
  yield* carryOut(draft, { before: plan, known: [], decision, agent_id });
  return { ...outcome, plan: decision.item };
}

type Decided = {
  before: Item | undefined;
  known: readonly Step[];
  decision: TaskDecision;
  agent_id: string | undefined;
};

/** Writes the row, the event, a trace entry with the same event ID and the projection into the graph. */
function* carryOut(
  draft: Draft,
  { before, known: steps, decision, agent_id }: Decided,
): Deciding<TaskOutcome> {
  const { item, event, nextStep } = decision;
  if (nextStep !== undefined) takeNumbers(draft, "step", nextStep - 1);
  keepItem(draft, before, item);
  keepSteps(draft, item.id, steps, decision.steps);
  const { branch: name, notes_doc } = reasoningRef(item.id);
  const projected = projectChange(before, decision, steps);
  yield* needBranches(draft, [name, ...projected.map(({ branch }) => branch)], item.id);
  const branch = requireBranch(draft, name);
  const { number, stored, source } = yield* addEvent(draft, item.id, event, agent_id, agent_id);
  const note = noteEntry(decision, number, agent_id);
  const noted = note && (yield* addEntry(draft, branch, notes_doc, note, { event: source }));
  for (const { branch: graphBranch, doc, states } of projected)
    yield* addVersions(draft, requireBranch(draft, graphBranch), doc, states.map(contentOf));
  return { item, steps: decision.steps, event: stored, ...(noted && { note_seq: noted.seq }) };
}

/** Loads the branches and the facts for writing to them. */
function* needBranches(draft: Draft, names: readonly string[], target: string): Deciding<void> {
  const { trace_doc, notes_doc, graph_doc } = reasoningRef(target);
  yield* need(
    draft,
    { kind: "branch", keys: [...new Set(names)] },
    { kind: "doc", keys: [trace_doc, notes_doc, graph_doc] },
  );
  const bids = [...new Set(names)].map((name) => requireBranch(draft, name).bid);
  yield* need(draft, { kind: "lineage", keys: bids }, { kind: "branchedAt", keys: bids });
}

/** Records an event of a plan or task, and adds it to the trace. */
export function* addEvent(
  draft: Draft,
  target: string,
  event: TaskDecision["event"],
  author: string | undefined,
  agent_id?: string,
): Deciding<{ number: number; stored: StoredTaskEvent; source: string }> {
  const { branch, trace_doc } = reasoningRef(target);
  yield* need(draft, { kind: "counter", keys: ["event"] }, { kind: "branch", keys: [branch] });
  const number = known(draft, "counter", "event") + 1;
  takeNumbers(draft, "event", number);
  const { entry, source } = eventEntry(target, event, number, author);
  const { seq, ts_ms } = yield* addEntry(draft, requireBranch(draft, branch), trace_doc, entry, {
    event: source,
  });
  const place = { event_id: eventId(number), seq, ts_ms, target };
  const stored: StoredTaskEvent = Object.assign(place, event, { agent_id });
  write(draft, "taskEvent", { wid: workspaceOf(draft).wid, number, event: stored });
  return { number, stored, source };
}

function keepItem(draft: Draft, before: Item | undefined, item: Item): void {
  write(draft, "item", { wid: workspaceOf(draft).wid, item });
  learn(draft, "item", item.id, item);
  if (before && !isClosed(before) && isClosed(item)) {
    write(draft, "focusDone", { wid: workspaceOf(draft).wid, target: item.id });
    keepTold(draft, item.id);
  }
  if (item.parent === undefined) return;
  const open = maybeKnown(draft, "openTasks", item.parent);
  const isOpen = (one: Item | undefined) => (one && !isClosed(one) ? 1 : 0);
  if (open) learn(draft, "openTasks", item.parent, open.found + isOpen(item) - isOpen(before));
  else noteUnwritten(draft.facts, "openTasks");
}

function keepSteps(draft: Draft, task: string, before: readonly Step[], changed: readonly Step[]): void {
  const { wid } = workspaceOf(draft);
  for (const step of changed) write(draft, "step", { wid, step });
  const now = new Map([...before, ...changed].map((step) => [step.step_id, step]));
  learn(draft, "steps", task, inOrder([...now.values()]));
}

export function* setFocus(
  draft: Draft,
  { target, was, isOwn = false }: StepInput<"set_focus">,
): Deciding<StepOutcome<"set_focus">> {
  yield* need(draft, target === undefined ? undefined : { kind: "item", keys: [target] });
  if (target !== undefined && !known(draft, "item", target))
    throw taskFailure("unknown_target", { workspace: draft.workspace, target });
  if (!isOwn) write(draft, "focus", { wid: workspaceOf(draft).wid, target, was });
  keepPlace(draft, { target: target ?? null });
  return { focus: target ?? null };
}
