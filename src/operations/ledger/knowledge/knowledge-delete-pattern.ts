import * as z from "zod";
import { defineOperation } from "../../pipeline/define.ts";
import { noteId, unknownNote } from "./pattern-fields.ts";

export const knowledgeDeletePattern = defineOperation({
  name: "knowledge.delete_pattern",
  family: "ledger",
  title: "Drop a pattern",
  summary: "Takes a pattern out of the project's knowledge; knowledge.restore brings it back.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "destroy",
  scope: "caller",
  input: { id: noteId },
  output: z.strictObject({ id: z.string(), deleted: z.literal(true), restorable: z.literal(true) }),
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    {
      title: "by id",
      given: "a project with knowledge",
      input: { sessionId: "$session", id: "check-the-pool" },
    },
  ],

  async handle({ id }, { knowledge, standing, clock, fail }) {
    const gone = await knowledge.deleteNote(standing.project, "pattern", id, clock().toISOString());
    if (!gone) return unknownNote(fail, "pattern", id, "knowledge.list_patterns");
    return { id, deleted: true as const, restorable: true as const };
  },
});
