import { kindOf, numberOf, reasoningRef } from "../../../../domain/tasks/ids.ts";
import { planTargetView } from "../../packs/load-slice.ts";
import { readContext } from "../../packs/read-context.ts";
import { showEvent, showItem, showStep } from "../../tasks/fields.ts";
import type { Opener } from "./opener.ts";

/** Enough cards for the capsule to tell what everything hangs on. */
const cardsLookedAt = 30;

/** Where a plan or task stands and what comes next; everything else is one call away. */
export const openItem: Opener<"item"> = async (memory, { id }, { drafts }) => {
  const item = await memory.memory.readItem(memory.workspace, id);
  if (!item) return undefined;
  const asked = {
    target: id,
    view: drafts ? ("audit" as const) : ("smart" as const),
    notes_limit: 0,
    trace_limit: 20,
    limit_cards: cardsLookedAt,
    decisions_limit: 5,
    evidence_limit: 5,
    blockers_limit: 0,
    engine_signals_limit: 6,
    engine_actions_limit: 2,
  };
  const plan = planTargetView(memory, item, asked);
  const { result, scope, known } = await readContext(memory, plan, asked, "resume_capsule");
  return {
    kind: kindOf(id) ?? "task",
    id,
    target: showItem(item),
    reasoning_ref: reasoningRef(id),
    capsule: { ...result.capsule, known },
    ...(scope.current && { step_focus: scope.current }),
    degradation: {
      view: drafts ? "audit" : "focus_only",
      left_out: ["steps", "cards", "notes", "trace", "events"],
      full: { operation: "tasks_resume_super", args: { workspace: memory.workspace, target: id } },
    },
  };
};

export const openStep: Opener<"step"> = async ({ memory, workspace }, { id }) => {
  const step = await memory.findStepById(workspace, id);
  const item = step && (await memory.readItem(workspace, step.task));
  if (!step || !item) return undefined;
  const { kind, title, status, revision } = showItem(item);
  return { kind: "step", id, target: { id: item.id, kind, title, status, revision }, step: showStep(step) };
};

export const openTaskEvent: Opener<"task_event"> = async ({ memory, workspace }, { id }) => {
  const { events } = await memory.readTaskEvents(workspace, { after: numberOf(id) - 1, limit: 1 });
  const event = events.find(({ event_id }) => event_id === id);
  if (!event) return undefined;
  const entry = await memory.readEntry(workspace, event.seq);
  return { kind: "task_event", id, event: showEvent(event), ...(entry && { entry }) };
};
