import * as z from "zod";
import { patternSchema, revisionOf, toPattern } from "../../../domain/knowledge/note.ts";
import { defineOperation } from "../../pipeline/define.ts";
import {
  changedMeanwhile,
  expectedRevision,
  noteId,
  patternFields,
  revision,
  unknownNote,
} from "./pattern-fields.ts";

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
    expectedRevision,
  },
  output: z.strictObject({ pattern: patternSchema, revision }),
  errors: ["UNKNOWN_ID", "INVALID_PAYLOAD", "REVISION_MISMATCH", "STORAGE_ERROR"],
  examples: [
    {
      title: "new tags",
      given: "a project with knowledge",
      input: { sessionId: "$session", id: "check-the-pool", tags: ["database"] },
    },
  ],

  async handle({ id, expectedRevision: expected, ...change }, { knowledge, standing, clock, fail }) {
    const note = await knowledge.readNote(standing.project, "pattern", id);
    if (!note) return unknownNote(fail, "pattern", id, "knowledge.list_patterns");
    const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
    if (Object.keys(given).length === 0) {
      return fail("INVALID_PAYLOAD", "Nothing to change: give title, description, content or tags.", {
        recovery: { hint: "See what it says now.", operation: "knowledge.get_pattern", args: { id } },
      });
    }
    const changed = { ...note, ...given, updatedAt: clock().toISOString() };
    const stored =
      expected === undefined
        ? await knowledge.putNote(standing.project, changed)
        : await knowledge.replaceNote(standing.project, changed, expected);
    if (!stored) {
      const read = { hint: "Read it again.", operation: "knowledge.get_pattern", args: { id } };
      return changedMeanwhile(fail, expected ?? "", note, read);
    }
    return { pattern: toPattern(stored), revision: revisionOf(stored) };
  },
});
