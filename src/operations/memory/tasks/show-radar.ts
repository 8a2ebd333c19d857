import * as z from "zod";
import { reasoningRef } from "../../../domain/tasks/ids.ts";
import { radarOf } from "../../../domain/tasks/radar.ts";
import { countSteps } from "../../../domain/tasks/steps.ts";
import type { TaskOverview } from "../../../ports/memory/tasks.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { listAt } from "../packs/trim-packs.ts";
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

export const radarLists = ["verify", "next", "blockers"].map((name) => listAt(`radar.${name}`));

/** How many tasks of a plan are looked at for its radar. */
export const tasksLookedAt = 200;

/** Where a plan or task stands. */
export const showRadar = ({ state }: MemoryContext, { item, steps, plan, tasks }: TaskOverview) => ({
  radar: radarOf(item, steps, plan, tasks),
  target: showItem(item),
  reasoning_ref: reasoningRef(item.id),
  steps: countSteps(steps),
  focus: state?.focus ?? null,
});
