import * as z from "zod";
import { patternSchema, revisionOf, toPattern } from "../../../domain/knowledge/note.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { noteId, noteUri, revision, unknownNote } from "./pattern-fields.ts";

export const knowledgeGetPattern = defineOperation({
  name: "knowledge.get_pattern",
  family: "ledger",
  title: "Read a pattern",
  summary: "Returns one pattern of the project in full.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "read",
  scope: "caller",
  input: { id: noteId },
  output: z.strictObject({ pattern: patternSchema, revision, uri: z.string() }),
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    {
      title: "by id",
      given: "a project with knowledge",
      input: { sessionId: "$session", id: "check-the-pool" },
    },
  ],

  async handle({ id }, context) {
    const { knowledge, handle, fail } = context;
    const note = await knowledge.readNote(handle.project, "pattern", id);
    if (!note) return unknownNote(fail, "pattern", id, "knowledge.list_patterns");
    return { pattern: toPattern(note), revision: revisionOf(note), uri: noteUri(context, "pattern", id) };
  },
});
