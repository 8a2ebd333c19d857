import * as z from "zod";
import { revisionOf, scratchpadSchema, toScratchpad } from "../../../domain/knowledge/note.ts";
import { slugify } from "../../../domain/knowledge/slug.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { title } from "../../pipeline/fields.ts";
import { continues } from "../../pipeline/fit/fit.ts";
import { noteUri, revision, textOffset, unknownNote } from "./pattern-fields.ts";

export const knowledgeReadScratchpad = defineOperation({
  name: "knowledge.read_scratchpad",
  family: "ledger",
  title: "Read a scratchpad note",
  summary: "Returns the scratchpad note of a topic; a long one goes on from offset.",
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
    const { knowledge, standing, fail } = context;
    const id = slugify(topic);
    const note = await knowledge.readNote(standing.project, "scratchpad", id);
    if (!note) return unknownNote(fail, "scratchpad note", id, "knowledge.list_scratchpad");
    return { note: toScratchpad(note), revision: revisionOf(note), uri: noteUri(context, "scratchpad", id) };
  },
});
