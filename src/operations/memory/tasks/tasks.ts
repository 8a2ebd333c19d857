import * as z from "zod";
import { itemStatuses, taskLimits } from "../../../domain/tasks/item.ts";
import { completeItem, editItem } from "../../../domain/tasks/item-changes.ts";
import { noteStep } from "../../../domain/tasks/step-changes.ts";
import { maxCount } from "../../../kernel/numbers.ts";
import { defineMemory } from "../define-memory.ts";
import { meta } from "../fields.ts";
import { changedTask, changeTask, showChange, suggestNext, targetOf } from "./change-task.ts";
import { agent, expectedRevision, newSteps, target, targetAliases, text } from "./fields.ts";
import { defineStepChange } from "./steps/define-step-change.ts";

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

const word = (what: string) => z.string().min(1).max(128).optional().describe(what);

export const tasksEdit = defineMemory({
  name: "tasks_edit",
  title: "Edit a plan or task",
  summary: "Changes the title, description and other fields of a plan or task.",
  effect: "write",
  input: {
    title: z.string().min(1).max(taskLimits.title).optional().describe("New title, at most 500 characters."),
    description: text("What it is about, and why."),
    context: text("What one has to know."),
    contract: text("What was agreed on."),
    contract_data: meta.optional().describe("The same as an object."),
    depends_on: z.array(z.string().max(64)).max(50).optional().describe("Plans and tasks that come first."),
    new_domain: word("What it belongs to, such as storage."),
    priority: word("How urgent it is."),
    reasoning_mode: word("How to think about it, such as strict."),
    tags: z.array(z.string().min(1).max(128)).max(64).optional().describe("Tags, in place of those it has."),
    target,
    expected_revision: expectedRevision,
    agent_id: agent,
  },
  advanced: ["expected_revision", "agent_id", "contract", "contract_data", "reasoning_mode", "new_domain"],
  aliases: targetAliases,
  output: changedTask,
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "REVISION_MISMATCH", "STORAGE_ERROR"],
  examples: [{ title: "a title", given: "a task in focus", input: { title: "Logins below 150 ms" } }],

  async handle({ target, new_domain, expected_revision, agent_id, ...edit }, memory) {
    const outcome = await changeTask(memory, targetOf(memory, target), agent_id, (facts, agent) =>
      editItem(facts, { ...edit, domain: new_domain, expected_revision, agent_id: agent }),
    );
    return showChange(outcome);
  },
});

export const tasksNote = defineStepChange({
  name: "tasks_note",
  title: "Note on a task",
  summary: "Notes something about a step, or the task as a whole; it stands in the notes and in the trace.",
  input: { note: z.string().min(1).max(taskLimits.text).describe("What to keep.") },
  errors: [],
  examples: [
    { title: "on a step", given: "a task in focus", input: { path: "s:0", note: "Fails only above 5 MB." } },
  ],
  decide: (facts, change, { note }) => noteStep(facts, { ...change, note }),
});

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
