import * as z from "zod";
import { taskLimits } from "../../../domain/tasks/item.ts";
import { editItem } from "../../../domain/tasks/item-changes.ts";
import { defineMemory } from "../define-memory.ts";
import { meta } from "../fields.ts";
import { changedTask, changeTask, showChange, targetOf } from "./change-task.ts";
import { agent, expectedRevision, target, targetAliases, text } from "./fields.ts";

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
