import type { TaskOutcome } from "../../../../domain/memory/steps/outcomes.ts";
import type { StepInput, StepOutcome } from "../../../../domain/memory/steps/step.ts";
import { createItem } from "../../../../domain/tasks/create-item.ts";
import type { TaskDecision } from "../../../../domain/tasks/decision.ts";
import { taskFailure } from "../../../../domain/tasks/failures.ts";
import { numberOf, reasoningRef } from "../../../../domain/tasks/ids.ts";
import type { Item, Step } from "../../../../domain/tasks/item.ts";
import { eventEntry, noteEntry, projectChange } from "../../../../domain/tasks/projection.ts";
import { insertBranch } from "../branches.ts";
import { insertEntry } from "../documents/entries.ts";
import { type Place, requireBranch } from "../places.ts";
import { writeStates } from "../thinking/graph-access.ts";
import {
  countOpenTasks,
  nextNumber,
  readItem,
  readSteps,
  takeNumbers,
  writeEvent,
  writeItem,
  writeSteps,
} from "./task-rows.ts";

/** Call inside a write. */
export function createTask(
  place: Place,
  { creation, agent_id }: StepInput<"create_task">,
  at: Date,
): StepOutcome<"create_task"> {
  const decision = createItem(
    {
      workspace: place.workspace,
      parent: creation.parent === undefined ? undefined : readItem(place, creation.parent),
      next: {
        plan: nextNumber(place, "plan"),
        task: nextNumber(place, "task"),
        step: nextNumber(place, "step"),
      },
      now_ms: at.getTime(),
    },
    creation,
  );
  const { item } = decision;
  insertBranch(place, reasoningRef(item.id).branch, undefined, at);
  takeNumbers(place, item.kind, numberOf(item.id));
  return carryOut(place, { before: undefined, known: [], decision, agent_id }, at);
}

/** Call inside a write. */
export function changeTask(
  place: Place,
  { target, agent_id, decide }: StepInput<"change_task">,
  at: Date,
): StepOutcome<"change_task"> {
  const item = readItem(place, target);
  if (!item) throw taskFailure("unknown_target", { workspace: place.workspace, target });
  const steps = item.kind === "task" ? readSteps(place, target) : [];
  const decision = decide({
    workspace: place.workspace,
    item,
    steps,
    openTasks: item.kind === "plan" ? countOpenTasks(place, target) : 0,
    event: nextNumber(place, "event"),
    now_ms: at.getTime(),
    nextStep: nextNumber(place, "step"),
  });
  return carryOut(place, { before: item, known: steps, decision, agent_id }, at);
}

type Decided = {
  before: Item | undefined;
  known: readonly Step[];
  decision: TaskDecision;
  agent_id: string | undefined;
};

function carryOut(place: Place, { before, known, decision, agent_id }: Decided, at: Date): TaskOutcome {
  const { item, steps, event, nextStep } = decision;
  const number = nextNumber(place, "event");
  takeNumbers(place, "event", number);
  if (nextStep !== undefined) takeNumbers(place, "step", nextStep - 1);
  writeItem(place, item);
  writeSteps(place, steps);
  const { branch: name, trace_doc, notes_doc } = reasoningRef(item.id);
  const branch = requireBranch(place, name);
  const { entry, source } = eventEntry(item.id, event, number, agent_id);
  const { seq, ts_ms } = insertEntry(place, branch, trace_doc, entry, at, { event: source });
  const stored = writeEvent(place, { number, target: item.id, seq, ts_ms, body: { ...event, agent_id } });
  const note = noteEntry(decision, number, agent_id);
  const noted = note && insertEntry(place, branch, notes_doc, note, at, { event: source });
  for (const { branch: graphBranch, doc, states } of projectChange(before, decision, known))
    writeStates(place, requireBranch(place, graphBranch), doc, states, at);
  return { item, steps, event: stored, ...(noted && { note_seq: noted.seq }) };
}

/** Call inside a write. */
export function setFocus(place: Place, { target }: StepInput<"set_focus">): StepOutcome<"set_focus"> {
  if (target !== undefined && !readItem(place, target))
    throw taskFailure("unknown_target", { workspace: place.workspace, target });
  const { sql } = place.connection;
  sql("DELETE FROM memory_focus WHERE wid = ?").run(place.wid);
  if (target !== undefined)
    sql("INSERT INTO memory_focus (wid, target) VALUES (?, ?)").run(place.wid, target);
  return { focus: target ?? null };
}
