import * as z from "zod";
import { scratchpadSchema, toScratchpad } from "../../../domain/knowledge/note.ts";
import { slugify } from "../../../domain/knowledge/slug.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { title } from "../../pipeline/fields.ts";
import { patternFields } from "./pattern-fields.ts";

export const knowledgeWriteScratchpad = defineOperation({
  name: "knowledge.write_scratchpad",
  family: "ledger",
  title: "Write a scratchpad note",
  summary: "Writes the note of a topic, which all agents of the project share; it replaces what was there.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "write",
  scope: "caller",
  input: { topic: title.describe("Topic; its slug is the note's id."), content: patternFields.content },
  secrets: { guard: ["topic", "content"] },
  output: z.strictObject({ note: scratchpadSchema }),
  errors: ["STORAGE_ERROR"],
  examples: [
    {
      title: "a handover",
      given: "a session with thoughts",
      input: { sessionId: "$session", topic: "Handover", content: "Next: read the proxy's log." },
    },
  ],

  async handle({ topic, content }, { knowledge, handle, clock }) {
    const at = clock().toISOString();
    const note = await knowledge.putNote(handle.project, {
      kind: "scratchpad",
      id: slugify(topic),
      title: topic,
      description: "",
      tags: [],
      content,
      derivedFromSessions: [],
      createdAt: at,
      updatedAt: at,
    });
    return { note: toScratchpad(note) };
  },
});
