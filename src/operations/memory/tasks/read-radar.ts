import * as z from "zod";
import { reasoningRef } from "../../../domain/tasks/ids.ts";
import type { Item } from "../../../domain/tasks/item.ts";
import { readRadar as radarOf } from "../../../domain/tasks/radar.ts";
import { countSteps } from "../../../domain/tasks/steps.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { itemSchema, refSchema, showItem, stepsSchema } from "./fields.ts";

export const radarOutput = {
  target: itemSchema.optional(),
  reasoning_ref: refSchema.optional(),
  radar: z.strictObject({
    now: z.string(),
    why: z.string().optional(),
    verify: z.array(z.string()).optional(),
    next: z.array(z.string()).optional(),
    blockers: z.array(z.string()).optional(),
  }),
  steps: stepsSchema.optional(),
  focus: z.string().nullable().optional(),
};

const tasksLookedAt = 200;

/** Where a plan or task stands. */
export async function readRadar({ memory, workspace, state }: MemoryContext, item: Item) {
  const steps = item.kind === "task" ? await memory.readSteps(workspace, item.id) : [];
  const plan = item.parent === undefined ? undefined : await memory.readItem(workspace, item.parent);
  const { items: tasks } =
    item.kind === "plan"
      ? await memory.listItems(workspace, { kind: "task", parent: item.id, after: 0, limit: tasksLookedAt })
      : { items: [] };
  return {
    steps,
    shown: {
      radar: radarOf(item, steps, plan, tasks),
      target: showItem(item),
      reasoning_ref: reasoningRef(item.id),
      steps: countSteps(steps),
      focus: state?.focus ?? null,
    },
  };
}
