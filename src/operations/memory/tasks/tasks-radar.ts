import * as z from "zod";
import { taskFailure } from "../../../domain/tasks/failures.ts";
import { reasoningRef } from "../../../domain/tasks/item.ts";
import { radarOf } from "../../../domain/tasks/radar.ts";
import { countSteps } from "../../../domain/tasks/steps.ts";
import type { TaskOverview } from "../../../ports/memory/tasks.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { degradationSchema } from "../../pipeline/fit/pack.ts";
import { defineMemory } from "../define-memory.ts";
import { type BoardView, readBoard } from "../packs/read-board.ts";
import { keepRadar, listAt } from "../packs/trim-packs.ts";
import { docsOfTarget } from "../scope.ts";
import { findTargetItem } from "./change-task.ts";
import { itemSchema, refSchema, showItem, stepsSchema, target, targetAliases } from "./fields.ts";

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

/** The maximum number of a plan's tasks to read for its radar. */
export const tasksLookedAt = 200;

export const showRadar = ({ state }: MemoryContext, { item, steps, plan, tasks }: TaskOverview) => ({
  radar: radarOf(item, steps, plan, tasks),
  target: showItem(item),
  reasoning_ref: reasoningRef(item.id),
  steps: countSteps(steps),
  focus: state?.focus ?? null,
});

export const tasksRadar = defineMemory({
  name: "tasks_radar",
  title: "Show the state of a task",
  summary: "Shows the current step, its reason, what to verify, what is next and what blocks the task.",
  effect: "read",
  input: {
    target,
    read_only: z.boolean().optional().describe("Ignored. tasks_radar never writes."),
  },
  advanced: ["read_only"],
  aliases: targetAliases,
  output: { ...radarOutput, conflicts_open: z.int().optional(), degradation: degradationSchema.optional() },
  trim: {
    pack: {
      repeats: ["reasoning_ref"],
      lists: radarLists,
      blocks: ["focus", "target", "steps"],
      core: keepRadar,
    },
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [{ title: "of the focus", given: "a task in focus", input: {} }],

  async handle({ target }, memory) {
    const { workspace } = memory;
    const found = await findTargetItem(memory, target);
    if (!found) return { radar: { now: "No plans or tasks yet." }, steps: countSteps([]), focus: null };
    const { id } = found;
    const overview = await memory.memory.readOverview(workspace, id, { tasks: tasksLookedAt, events: 0 });
    if (!overview) throw taskFailure("unknown_target", { workspace, target: id });
    const { shown: board, conflictsOpen } = await readBoard(memory, docsOfTarget(overview.item), []);
    const { radar, ...rest } = showRadar(memory, overview);
    const shown = {
      radar: { ...radar, blockers: [...radar.blockers, ...waitsOf(board)] },
      ...rest,
      ...(conflictsOpen > 0 && { conflicts_open: conflictsOpen }),
    };
    suggestStep(memory, id, overview.steps.length, shown.steps);
    return shown;
  },
});

const waitsOf = ({ waits_for = [], conflicts = [] }: BoardView["shown"]): string[] => [
  ...waits_for.map((id) => `${id} is not done`),
  ...conflicts,
];

function suggestStep(
  memory: MemoryContext,
  target: string,
  total: number,
  { first_open }: { first_open: { path: string } | null },
): void {
  if (total > 0 && !first_open)
    memory.suggest({
      operation: "context_pack",
      args: { workspace: memory.workspace, target },
      reason: "All steps are done. Before completing the task, read what was decided.",
      priority: "medium",
    });
}
