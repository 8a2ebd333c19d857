import * as z from "zod";
import {
  type Note,
  revisionOf,
  scratchpadSchema,
  slugify,
  toScratchpad,
} from "../../../domain/knowledge/note.ts";
import { clipWhole } from "../../../kernel/secrets/secrets-policy.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { limit, offset, offsetPage, offsetPageSchema, title } from "../../pipeline/fields.ts";
import { continues, pages } from "../../pipeline/fit/fit.ts";
import {
  changedMeanwhile,
  expectedRevision,
  noteUri,
  patternFields,
  revision,
  textOffset,
  unknownNote,
} from "./knowledge-fields.ts";

export const knowledgeWriteScratchpad = defineOperation({
  name: "knowledge.write_scratchpad",
  family: "ledger",
  title: "Write a scratchpad note",
  summary:
    "Writes the note on a topic and replaces the previous one. All agents in the project share the note.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "write",
  scope: "caller",
  input: {
    topic: title.describe("Topic of the note. The topic's slug is the note's ID."),
    content: patternFields.content.describe("The whole note, in Markdown."),
    expectedRevision,
  },
  output: z.strictObject({ note: scratchpadSchema, revision }),
  errors: ["REVISION_MISMATCH", "STORAGE_ERROR"],
  examples: [
    {
      title: "a handover",
      given: "a session with thoughts",
      input: { sessionId: "$session", topic: "Handover", content: "Next: read the proxy's log." },
    },
  ],

  async handle({ topic, content, expectedRevision: expected }, { knowledge, callerState, clock, fail }) {
    const at = clock().toISOString();
    const id = slugify(topic);
    const written: Note = {
      kind: "scratchpad",
      id,
      title: topic,
      description: "",
      tags: [],
      content,
      derivedFromSessions: [],
      createdAt: at,
      updatedAt: at,
    };
    const note =
      expected === undefined
        ? await knowledge.putNote(callerState.project, written)
        : await knowledge.replaceNote(callerState.project, written, expected);
    if (!note) {
      const there = await knowledge.readNote(callerState.project, "scratchpad", id);
      const read = there
        ? { hint: "Read the note again.", operation: "knowledge.read_scratchpad", args: { topic } }
        : {
            hint: "The note was deleted. List the existing notes.",
            operation: "knowledge.list_scratchpad",
            args: {},
          };
      return changedMeanwhile(fail, expected ?? "", there, read);
    }
    return { note: toScratchpad(note), revision: revisionOf(note) };
  },
});

export const knowledgeReadScratchpad = defineOperation({
  name: "knowledge.read_scratchpad",
  family: "ledger",
  title: "Read a scratchpad note",
  summary: "Returns the scratchpad note on a topic. Use offset to continue a long note.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "read",
  scope: "caller",
  input: { topic: title.describe("Topic or its slug."), offset: textOffset },
  advanced: ["offset"],
  spellings: { aliases: { id: "topic" } },
  output: z.strictObject({
    note: scratchpadSchema,
    revision,
    uri: z.string(),
    nextOffset: z.int().optional(),
  }),
  fit: continues("note", () => "content"),
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    {
      title: "by topic",
      given: "a project with knowledge",
      input: { sessionId: "$session", topic: "Handover" },
    },
  ],

  async handle({ topic }, context) {
    const { knowledge, callerState, fail } = context;
    const id = slugify(topic);
    const note = await knowledge.readNote(callerState.project, "scratchpad", id);
    if (!note) return unknownNote(fail, "scratchpad note", id, "knowledge.list_scratchpad");
    return { note: toScratchpad(note), revision: revisionOf(note), uri: noteUri(context, "scratchpad", id) };
  },
});

export const knowledgeListScratchpad = defineOperation({
  name: "knowledge.list_scratchpad",
  family: "ledger",
  title: "List scratchpad notes",
  summary: "Lists the project's scratchpad notes, newest first. Contents are shortened.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "read",
  scope: "caller",
  input: { limit: limit(100, 20), offset },
  output: z.strictObject({ notes: z.array(scratchpadSchema), ...offsetPageSchema }),
  fit: pages("notes"),
  errors: ["STORAGE_ERROR"],
  examples: [{ title: "the newest", given: "a project with knowledge", input: { sessionId: "$session" } }],

  async handle({ limit, offset }, { knowledge, callerState }) {
    const { notes, total } = await knowledge.listNotes({
      project: callerState.project,
      kind: "scratchpad",
      limit,
      offset,
      sortBy: "updatedAt",
      sortOrder: "desc",
    });
    return {
      notes: notes.map((note) => ({ ...toScratchpad(note), content: clipWhole(note.content, 300) })),
      ...offsetPage(offset, notes.length, total),
    };
  },
});

export const knowledgeDeleteScratchpad = defineOperation({
  name: "knowledge.delete_scratchpad",
  family: "ledger",
  title: "Delete a scratchpad note",
  summary: "Deletes a scratchpad note. knowledge.restore restores it.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "destroy",
  scope: "caller",
  input: { topic: title.describe("Topic or its slug.") },
  spellings: { aliases: { id: "topic" } },
  output: z.strictObject({ id: z.string(), deleted: z.literal(true), restorable: z.literal(true) }),
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    {
      title: "by topic",
      given: "a project with knowledge",
      input: { sessionId: "$session", topic: "Handover" },
    },
  ],

  async handle({ topic }, { knowledge, callerState, clock, fail }) {
    const id = slugify(topic);
    const gone = await knowledge.deleteNote(callerState.project, "scratchpad", id, clock().toISOString());
    if (!gone) return unknownNote(fail, "scratchpad note", id, "knowledge.list_scratchpad");
    return { id, deleted: true as const, restorable: true as const };
  },
});
