import * as z from "zod";
import { itemStatuses } from "../../../domain/tasks/item.ts";
import { completeItem } from "../../../domain/tasks/item-changes.ts";
import { maxCount } from "../../../kernel/numbers.ts";
import { defineMemory } from "../define-memory.ts";
import { changedTask, changeTask, showChange, targetOf } from "./change-task.ts";
import { agent, expectedRevision, target, targetAliases } from "./fields.ts";

export const tasksComplete = defineMemory({
  name: "tasks_complete",
  title: "Set the status of a task",
  summary: "Sets the status of a plan or task, by default DONE, which needs everything of it to be done.",
  effect: "write",
  input: {
    status: z.enum(itemStatuses).optional().describe("The status; default DONE."),
    parked_for_s: z.int().min(1).max(maxCount).optional().describe("With PARKED: for how many seconds."),
    parked_until_ts_ms: z
      .int()
      .min(0)
      .max(8_000_000_000_000_000)
      .optional()
      .describe("With PARKED: until when, in milliseconds since 1970."),
    target,
    expected_revision: expectedRevision,
    agent_id: agent,
  },
  advanced: ["expected_revision", "agent_id", "parked_until_ts_ms"],
  aliases: targetAliases,
  output: changedTask,
  errors: [
    ...(["INVALID_PAYLOAD", "UNKNOWN_ID", "CONFLICT", "REVISION_MISMATCH"] as const),
    ...(["CHECKPOINTS_NOT_CONFIRMED", "STORAGE_ERROR"] as const),
  ],
  examples: [
    {
      title: "put aside for a day",
      given: "a task in focus",
      input: { status: "PARKED", parked_for_s: 86_400 },
    },
  ],

  async handle({ target, agent_id, ...completion }, memory) {
    const outcome = await changeTask(memory, targetOf(memory, target), agent_id, (facts, agent) =>
      completeItem(facts, { ...completion, agent_id: agent }),
    );
    return showChange(outcome);
  },
});
