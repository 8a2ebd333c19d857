import * as z from "zod";
import { patternSchema, revisionOf, toPattern } from "../../../domain/knowledge/note.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { continues } from "../../pipeline/fit/fit.ts";
import { noteId, noteUri, revision, textOffset, unknownNote } from "./pattern-fields.ts";

export const knowledgeGetPattern = defineOperation({
  name: "knowledge.get_pattern",
  family: "ledger",
  title: "Read a pattern",
  summary: "Returns one pattern of the project; a long one goes on from offset.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "read",
  scope: "caller",
  input: { id: noteId, offset: textOffset },
  advanced: ["offset"],
  output: z.strictObject({
    pattern: patternSchema,
    revision,
    uri: z.string(),
    nextOffset: z.int().optional(),
  }),
  fit: continues("pattern", () => "content"),
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    {
      title: "by id",
      given: "a project with knowledge",
      input: { sessionId: "$session", id: "check-the-pool" },
    },
  ],

  async handle({ id }, context) {
    const { knowledge, standing, fail } = context;
    const note = await knowledge.readNote(standing.project, "pattern", id);
    if (!note) return unknownNote(fail, "pattern", id, "knowledge.list_patterns");
    return { pattern: toPattern(note), revision: revisionOf(note), uri: noteUri(context, "pattern", id) };
  },
});
