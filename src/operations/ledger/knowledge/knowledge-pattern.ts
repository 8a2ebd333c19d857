import * as z from "zod";
import { type Note, patternSchema, toPattern } from "../../../domain/knowledge/note.ts";
import { slugify } from "../../../domain/knowledge/slug.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { patternFields } from "./pattern-fields.ts";

export const knowledgeCreatePattern = defineOperation({
  name: "knowledge.create_pattern",
  family: "ledger",
  title: "Keep a pattern",
  summary: "Stores something learned as a pattern of the project; its id is made from the title.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "write",
  scope: "caller",
  input: patternFields,
  output: z.strictObject({ pattern: patternSchema }),
  errors: ["CONFLICT", "STORAGE_ERROR"],
  examples: [
    {
      title: "a debugging pattern",
      given: "a session with thoughts",
      input: {
        sessionId: "$session",
        title: "Look at the pool before the query",
        description: "Slow queries that are fast alone point to waiting, not to work.",
        content: "1. Count waiting connections.\n2. Compare with the pool's size.",
        tags: ["debugging"],
      },
    },
  ],

  async handle({ title, description, content, tags = [], derivedFromSessions = [], createdBy }, context) {
    const at = context.clock().toISOString();
    const id = slugify(title);
    const note: Note = {
      kind: "pattern",
      id,
      title,
      description,
      tags: [...new Set(tags)],
      content,
      derivedFromSessions,
      ...(createdBy !== undefined && { createdBy }),
      createdAt: at,
      updatedAt: at,
    };
    const stored = await context.knowledge.createNote(context.standing.project, note, context.once);
    if (stored) return { pattern: toPattern(stored) };
    return context.fail("CONFLICT", `There is a pattern ${id} already.`, {
      details: { id },
      recovery: {
        hint: "Read it first, then change it by knowledge.update_pattern.",
        operation: "knowledge.get_pattern",
        args: { id },
      },
    });
  },
});
