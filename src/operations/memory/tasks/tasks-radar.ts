import * as z from "zod";
import { taskFailure } from "../../../domain/tasks/failures.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { degradationSchema } from "../../pipeline/fit/pack.ts";
import { defineMemory } from "../define-memory.ts";
import { type BoardView, readBoard } from "../packs/read-board.ts";
import { keepRadar } from "../packs/trim-packs.ts";
import { docsOfTarget } from "../scope.ts";
import { targetOf } from "./change-task.ts";
import { target, targetAliases } from "./fields.ts";
import { radarLists, radarOutput, showRadar, tasksLookedAt } from "./show-radar.ts";

export const tasksRadar = defineMemory({
  name: "tasks_radar",
  title: "Where a task stands",
  summary: "Shows what is now, why, what to verify, what comes next and what is in the way.",
  effect: "read",
  input: {
    target,
    read_only: z.boolean().optional().describe("Accepted for compatibility: it never writes."),
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
    const id = targetOf(memory, target);
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

/** What else is in the way: tasks that are not done, and conflicts that wait for a decision. */
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
      reason: "All steps are done: read what was decided before completing it.",
      priority: "medium",
    });
}
