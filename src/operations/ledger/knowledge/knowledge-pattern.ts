import * as z from "zod";
import {
  decideReplaceNote,
  type Note,
  patternSchema,
  revisionOf,
  slugify,
  toPattern,
} from "../../../domain/knowledge/note.ts";
import { clipWhole } from "../../../kernel/secrets/secrets-policy.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { offsetPage, offsetPageSchema } from "../../pipeline/fields.ts";
import { continues, pages } from "../../pipeline/fit/fit.ts";
import {
  changedMeanwhile,
  expectedRevision,
  noteFilterFields,
  noteId,
  noteUri,
  patternFields,
  revision,
  textOffset,
  unknownNote,
} from "./knowledge-fields.ts";

export const knowledgeCreatePattern = defineOperation({
  name: "knowledge.create_pattern",
  family: "ledger",
  title: "Store a pattern",
  summary: "Stores a lesson as a pattern in the project. The pattern's ID is derived from the title.",
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
        description: "A slow query that is fast on its own is waiting, not working.",
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
    const stored = await context.knowledge.createNote(context.callerState.project, note, context.once);
    if (stored) return { pattern: toPattern(stored) };
    return context.fail("CONFLICT", `The pattern ${id} already exists.`, {
      details: { id },
      recovery: {
        hint: "Read the pattern first, then change it with knowledge.update_pattern.",
        operation: "knowledge.get_pattern",
        args: { id },
      },
    });
  },
});

export const knowledgeUpdatePattern = defineOperation({
  name: "knowledge.update_pattern",
  family: "ledger",
  title: "Change a pattern",
  summary: "Replaces the given fields of a pattern and keeps the others. The ID stays the same.",
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

  async handle({ id, expectedRevision: expected, ...change }, { knowledge, callerState, clock, fail }) {
    const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
    if (Object.keys(given).length === 0) {
      return fail("INVALID_PAYLOAD", "Nothing to change: pass title, description, content or tags.", {
        recovery: {
          hint: "Read the pattern's current text.",
          operation: "knowledge.get_pattern",
          args: { id },
        },
      });
    }
    const updatedAt = clock().toISOString();
    // Changes only the given fields, so that concurrent changes to other fields are kept.
    const stored = await knowledge.changeNote(callerState.project, { kind: "pattern", id }, (note) => {
      const changed = { ...note, ...given, updatedAt };
      if (expected === undefined) return changed;
      const read = { hint: "Read the pattern again.", operation: "knowledge.get_pattern", args: { id } };
      return decideReplaceNote(note, changed, expected) ?? changedMeanwhile(fail, expected, note, read);
    });
    if (!stored) return unknownNote(fail, "pattern", id, "knowledge.list_patterns");
    return { pattern: toPattern(stored), revision: revisionOf(stored) };
  },
});

export const knowledgeGetPattern = defineOperation({
  name: "knowledge.get_pattern",
  family: "ledger",
  title: "Read a pattern",
  summary: "Returns one pattern from the project. Use offset to continue a long pattern.",
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
      title: "by ID",
      given: "a project with knowledge",
      input: { sessionId: "$session", id: "check-the-pool" },
    },
  ],

  async handle({ id }, context) {
    const { knowledge, callerState, fail } = context;
    const note = await knowledge.readNote(callerState.project, "pattern", id);
    if (!note) return unknownNote(fail, "pattern", id, "knowledge.list_patterns");
    return { pattern: toPattern(note), revision: revisionOf(note), uri: noteUri(context, "pattern", id) };
  },
});

export const knowledgeListPatterns = defineOperation({
  name: "knowledge.list_patterns",
  family: "ledger",
  title: "List patterns",
  summary: "Lists the project's patterns, with filters by words and tags. Contents are shortened.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "read",
  scope: "caller",
  input: noteFilterFields,
  spellings: { envelopes: ["filters", "filter"] },
  output: z.strictObject({
    patterns: z.array(patternSchema),
    ...offsetPageSchema,
    limit: z.int(),
    offset: z.int(),
  }),
  fit: pages("patterns"),
  errors: ["STORAGE_ERROR"],
  examples: [
    {
      title: "by words",
      given: "a project with knowledge",
      input: { sessionId: "$session", search: "pool" },
    },
    {
      title: "by tag",
      given: "a project with knowledge",
      input: { sessionId: "$session", tags: ["debugging"] },
    },
  ],

  async handle(filter, { knowledge, callerState }) {
    const { notes, total } = await knowledge.listNotes({
      ...filter,
      project: callerState.project,
      kind: "pattern",
    });
    return {
      patterns: notes.map((note) => ({ ...toPattern(note), content: clipWhole(note.content, 300) })),
      ...offsetPage(filter.offset, notes.length, total),
      limit: filter.limit,
      offset: filter.offset,
    };
  },
});

export const knowledgeDeletePattern = defineOperation({
  name: "knowledge.delete_pattern",
  family: "ledger",
  title: "Delete a pattern",
  summary: "Deletes a pattern from the project. knowledge.restore restores it.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "destroy",
  scope: "caller",
  input: { id: noteId },
  output: z.strictObject({ id: z.string(), deleted: z.literal(true), restorable: z.literal(true) }),
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    {
      title: "by ID",
      given: "a project with knowledge",
      input: { sessionId: "$session", id: "check-the-pool" },
    },
  ],

  async handle({ id }, { knowledge, callerState, clock, fail }) {
    const gone = await knowledge.deleteNote(callerState.project, "pattern", id, clock().toISOString());
    if (!gone) return unknownNote(fail, "pattern", id, "knowledge.list_patterns");
    return { id, deleted: true as const, restorable: true as const };
  },
});
