import * as z from "zod";
import { patternSchema, toPattern } from "../../../domain/knowledge/note.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { noteId, patternFields, unknownNote } from "./pattern-fields.ts";

export const knowledgeUpdatePattern = defineOperation({
  name: "knowledge.update_pattern",
  family: "ledger",
  title: "Change a pattern",
  summary: "Replaces the fields that are given and keeps the others; the id stays.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "write",
  scope: "caller",
  input: {
    id: noteId,
    title: patternFields.title.optional(),
    description: patternFields.description.optional(),
    content: patternFields.content.optional(),
    tags: patternFields.tags,
  },
  secrets: { guard: ["title", "description", "content", "tags"] },
  output: z.strictObject({ pattern: patternSchema }),
  errors: ["UNKNOWN_ID", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    {
      title: "new tags",
      given: "a project with knowledge",
      input: { sessionId: "$session", id: "check-the-pool", tags: ["database"] },
    },
  ],

  async handle({ id, ...change }, { knowledge, handle, clock, fail }) {
    const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
    if (Object.keys(given).length === 0) {
      return fail("INVALID_PAYLOAD", "Nothing to change: give title, description, content or tags.");
    }
    const note = await knowledge.readNote(handle.project, "pattern", id);
    if (!note) return unknownNote(fail, "pattern", id, "knowledge.list_patterns");
    const stored = await knowledge.putNote(handle.project, {
      ...note,
      ...given,
      updatedAt: clock().toISOString(),
    });
    return { pattern: toPattern(stored) };
  },
});
