import * as z from "zod";
import { taskLimits } from "../../../domain/tasks/item.ts";
import { defineMemory } from "../define-memory.ts";
import { meta } from "../fields.ts";
import { changedTask, showChange, suggestNext } from "./change-task.ts";
import { agent, newSteps, text } from "./fields.ts";

export const tasksCreate = defineMemory({
  name: "tasks_create",
  title: "Create a task",
  summary: "Creates a plan, or a task with steps below one; each has its own notes, trace and cards.",
  toolset: "daily",
  effect: "write",
  input: {
    title: z.string().min(1).max(taskLimits.title).describe("What is to be reached, at most 500 characters."),
    kind: z
      .enum(["plan", "task"])
      .optional()
      .describe("By default a task where there is a parent, else a plan."),
    parent: z.string().min(1).max(64).optional().describe("Plan that the task belongs to, such as PLAN-001."),
    description: text("What it is about, and why."),
    steps: newSteps.optional().describe("Steps of the task."),
    contract: text("What was agreed on."),
    contract_data: meta.optional().describe("The same as an object."),
    agent_id: agent,
  },
  advanced: ["contract", "contract_data", "agent_id", "kind"],
  output: changedTask,
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    { title: "a plan", input: { title: "Logins below 200 ms" } },
    {
      title: "a task with steps",
      given: "a task in focus",
      input: {
        parent: "PLAN-001",
        title: "Find what holds the connections",
        steps: [{ title: "Count the waiting ones", success_criteria: ["a number per host"] }],
      },
    },
  ],

  async handle({ agent_id, ...creation }, memory) {
    const agent = agent_id ?? memory.settings.agentId;
    const [outcome] = await memory.commit([{ do: "create_task", creation, agent_id: agent }]);
    suggestNext(memory, outcome);
    return showChange(outcome);
  },
});
