import * as z from "zod";
import { numberOf } from "../../../domain/tasks/ids.ts";
import { isHeld } from "../../../domain/tasks/lease.ts";
import { findStep } from "../../../domain/tasks/steps.ts";
import { defineMemory } from "../define-memory.ts";
import { requireTarget } from "../scope.ts";
import { taskOf } from "../tasks/change-task.ts";
import { path, showStep, stepIdField, stepSchema, stubStep, target, targetAliases } from "../tasks/fields.ts";

export const tasksStepLeaseGet = defineMemory({
  name: "tasks_step_lease_get",
  title: "See a lease",
  summary: "Shows who holds the lease of a step, and for how many more events.",
  effect: "read",
  input: { path, step_id: stepIdField, target },
  aliases: targetAliases,
  output: {
    task: z.string().optional(),
    held: z.boolean(),
    holder: z.string().nullable(),
    events_left: z.int(),
    step: stepSchema.optional(),
  },
  trim: { item: { key: "step", stub: stubStep } },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [{ title: "of a step", given: "a leased step", input: { path: "s:0" } }],

  async handle({ path, step_id, target }, memory) {
    const task = taskOf(memory, target);
    await requireTarget(memory, task);
    const steps = await memory.memory.readSteps(memory.workspace, task);
    const step = findStep(steps, { path, step_id }, { workspace: memory.workspace, task });
    const { lastTaskEvent } = await memory.memory.readActivity(memory.workspace);
    const event = numberOf(lastTaskEvent?.event_id ?? "0") + 1;
    const held = isHeld(step, event);
    return {
      task,
      held,
      holder: held ? (step.lease?.agent_id ?? null) : null,
      events_left: held ? (step.lease?.expires_event ?? 0) - event + 1 : 0,
      step: showStep(step),
    };
  },
});
