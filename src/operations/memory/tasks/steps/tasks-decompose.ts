import * as z from "zod";
import { decompose } from "../../../../domain/tasks/step-changes.ts";
import { defineMemory } from "../../define-memory.ts";
import { changedTask, changeTask, showChange, taskOf } from "../change-task.ts";
import { agent, expectedRevision, newSteps, target, targetAliases } from "../fields.ts";

export const tasksDecompose = defineMemory({
  name: "tasks_decompose",
  title: "Add steps",
  summary: "Adds steps to a task, after those that are there or below one of them.",
  effect: "write",
  input: {
    steps: newSteps.describe("The steps, each with its title, criteria, tests and blockers."),
    parent: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .describe("Path of the step that they are below, such as s:0."),
    target,
    expected_revision: expectedRevision,
    agent_id: agent,
  },
  advanced: ["expected_revision", "agent_id"],
  aliases: targetAliases,
  output: changedTask,
  errors: [
    "INVALID_PAYLOAD",
    "UNKNOWN_ID",
    "CONFLICT",
    "REVISION_MISMATCH",
    "STEP_LEASE_HELD",
    "STORAGE_ERROR",
  ],
  examples: [
    {
      title: "below a step",
      given: "a task in focus",
      input: { parent: "s:0", steps: [{ title: "On one host" }] },
    },
  ],

  async handle({ steps, parent, target, expected_revision, agent_id }, memory) {
    const outcome = await changeTask(memory, taskOf(memory, target), agent_id, (facts, agent) =>
      decompose(facts, { steps, parent, expected_revision, agent_id: agent }),
    );
    return showChange(outcome);
  },
});
