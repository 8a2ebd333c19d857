import * as z from "zod";
import { defineOperation } from "../../pipeline/define.ts";
import { shortens } from "../../pipeline/fit/fit.ts";
import { noteId } from "./knowledge-fields.ts";

export const knowledgeListTags = defineOperation({
  name: "knowledge.list_tags",
  family: "ledger",
  title: "List knowledge tags",
  summary: "Lists the tags of the project's patterns, most used first.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "read",
  scope: "caller",
  input: {},
  output: z.strictObject({
    tags: z.array(z.strictObject({ name: z.string(), count: z.int() })),
    count: z.int(),
  }),
  fit: shortens("tags"),
  errors: ["STORAGE_ERROR"],
  examples: [{ title: "all of them", given: "a project with knowledge", input: { sessionId: "$session" } }],

  async handle(_input, { knowledge, callerState }) {
    const tags = await knowledge.listNoteTags(callerState.project);
    return { tags, count: tags.length };
  },
});

export const knowledgeRestore = defineOperation({
  name: "knowledge.restore",
  family: "ledger",
  title: "Restore knowledge",
  summary: "Restores the last version of a deleted pattern or scratchpad note.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "write",
  scope: "caller",
  input: {
    id: noteId,
    kind: z
      .enum(["pattern", "scratchpad"])
      .default("pattern")
      .describe("What was deleted. Default: pattern."),
  },
  output: z.strictObject({ id: z.string(), kind: z.string(), title: z.string(), restored: z.literal(true) }),
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    {
      title: "a pattern",
      given: "a project with deleted knowledge",
      input: { sessionId: "$session", id: "check-the-pool" },
    },
  ],

  async handle({ id, kind }, { knowledge, callerState, fail }) {
    const note = await knowledge.restoreNote(callerState.project, kind, id);
    if (note) return { id, kind, title: note.title, restored: true as const };
    const list = kind === "pattern" ? "knowledge.list_patterns" : "knowledge.list_scratchpad";
    return fail("UNKNOWN_ID", `Cannot restore ${id}: no deleted ${kind} has this ID, or the ID is in use.`, {
      recovery: { hint: "List the project's knowledge.", operation: list, args: {} },
    });
  },
});
