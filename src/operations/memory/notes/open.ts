import * as z from "zod";
import { maxCount } from "../../../kernel/numbers.ts";
import { quote } from "../../../kernel/text.ts";
import { findLatestSession, latestWord } from "../../pipeline/complete-session-id.ts";
import { type BaseContext, onlyProject } from "../../pipeline/context.ts";
import { optionalLimit } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { type OpenId, readOpenId } from "./open-id.ts";
import { openEntry } from "./openers/open-entry.ts";
import { openItem, openJob, openJobEvent, openRunner, openStep, openTaskEvent } from "./openers/open-item.ts";
import { openAnchor, openConflict, openName, openSession, openThought } from "./openers/open-name.ts";
import { type Opener, openedShape } from "./openers/opened-schema.ts";
import { trimOpened } from "./openers/trim-opened.ts";

const defaultItems = 10;

export const open = defineMemory({
  name: "open",
  title: "Open",
  summary: "Opens anything by the ID that an answer shows: a session, thought, note, card, plan or task.",
  toolset: "daily",
  effect: "read",
  input: {
    id: z
      .string()
      .min(1)
      .max(300)
      .describe("ID as an answer shows it, or latest: the project's latest session."),
    offset: z
      .int()
      .min(0)
      .max(maxCount)
      .optional()
      .describe("Where to go on in a long entry: next_offset of the answer before."),
    limit: optionalLimit("10 entries of a session, events of a job or cards of an anchor"),
    include_drafts: z
      .boolean()
      .default(false)
      .describe("Whether drafts of an anchor or task, and the prompt of a job, are shown; default false."),
  },
  advanced: ["limit", "include_drafts", "offset"],
  output: openedShape,
  trim: trimOpened,
  errors: ["UNKNOWN_ID", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    { title: "a node", given: "a workspace with a graph", input: { id: "h1" } },
    { title: "an entry", given: "a workspace with a branch", input: { id: "notes@2" } },
    { title: "an anchor", given: "a workspace with anchors", input: { id: "a:storage" } },
    { title: "a task", given: "a task in focus", input: { id: "TASK-001" } },
  ],

  async handle({ id, limit: asked, include_drafts, offset }, memory) {
    const limit = asked ?? defaultItems;
    const named = readOpenId(id === latestWord ? await latestId(memory) : id);
    const opened = await openers[named.kind](memory, named as never, { limit, drafts: include_drafts });
    if (opened) return { ...opened, ...(opened.entry && offset !== undefined && { offset }) };
    return memory.fail("UNKNOWN_ID", `Nothing has the id ${quote(id, 100)}.`, {
      details: { id },
      recovery: {
        hint: "Copy the id from an answer; this shows which branches there are.",
        operation: "branch_list",
        args: { workspace: memory.workspace },
      },
    });
  },
});

/** Of the project that the caller's own workspace is named after; the word itself while there is none. */
async function latestId({ ledger, settings, caller }: BaseContext): Promise<string> {
  const project = onlyProject(settings) ?? caller.binding?.project ?? settings.project;
  return (await findLatestSession({ ledger }, project))?.id ?? latestWord;
}

const openers: { [Kind in OpenId["kind"]]: Opener<Kind> } = {
  entry: openEntry,
  thought: openThought,
  session: openSession,
  anchor: openAnchor,
  item: openItem,
  step: openStep,
  task_event: openTaskEvent,
  job: openJob,
  job_event: openJobEvent,
  runner: openRunner,
  conflict: openConflict,
  name: openName,
};
