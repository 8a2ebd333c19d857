import * as z from "zod";
import { type Note, revisionOf, scratchpadSchema, toScratchpad } from "../../../domain/knowledge/note.ts";
import { slugify } from "../../../domain/knowledge/slug.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { title } from "../../pipeline/fields.ts";
import { changedMeanwhile, expectedRevision, patternFields, revision } from "./pattern-fields.ts";

export const knowledgeWriteScratchpad = defineOperation({
  name: "knowledge.write_scratchpad",
  family: "ledger",
  title: "Write a scratchpad note",
  summary: "Writes the note of a topic, which all agents of the project share; it replaces what was there.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "write",
  scope: "caller",
  input: {
    topic: title.describe("Topic; its slug is the note's id."),
    content: patternFields.content,
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

  async handle({ topic, content, expectedRevision: expected }, { knowledge, standing, clock, fail }) {
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
        ? await knowledge.putNote(standing.project, written)
        : await knowledge.replaceNote(standing.project, written, expected);
    if (!note) {
      const there = await knowledge.readNote(standing.project, "scratchpad", id);
      const read = there
        ? { hint: "Read it again.", operation: "knowledge.read_scratchpad", args: { topic } }
        : { hint: "It is gone; see what there is.", operation: "knowledge.list_scratchpad", args: {} };
      return changedMeanwhile(fail, expected ?? "", there, read);
    }
    return { note: toScratchpad(note), revision: revisionOf(note) };
  },
});
