import * as z from "zod";
import { defineOperation } from "../../pipeline/define.ts";
import { noteId } from "./pattern-fields.ts";

export const knowledgeRestore = defineOperation({
  name: "knowledge.restore",
  family: "ledger",
  title: "Restore knowledge",
  summary: "Brings back a pattern or a scratchpad note that was deleted, as it was last.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "write",
  scope: "caller",
  input: {
    id: noteId,
    kind: z.enum(["pattern", "scratchpad"]).default("pattern").describe("What was deleted; default pattern."),
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

  async handle({ id, kind }, { knowledge, standing, fail }) {
    const note = await knowledge.restoreNote(standing.project, kind, id);
    if (note) return { id, kind, title: note.title, restored: true as const };
    const list = kind === "pattern" ? "knowledge.list_patterns" : "knowledge.list_scratchpad";
    return fail("UNKNOWN_ID", `No deleted ${kind} has the id ${id}, or the id is in use.`, {
      recovery: { hint: "See what there is.", operation: list, args: {} },
    });
  },
});
