import * as z from "zod";
import { slugify } from "../../../domain/knowledge/slug.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { title } from "../../pipeline/fields.ts";
import { unknownNote } from "./pattern-fields.ts";

export const knowledgeDeleteScratchpad = defineOperation({
  name: "knowledge.delete_scratchpad",
  family: "ledger",
  title: "Drop a scratchpad note",
  summary: "Takes a scratchpad note away; knowledge.restore brings it back.",
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

  async handle({ topic }, { knowledge, standing, clock, fail }) {
    const id = slugify(topic);
    const gone = await knowledge.deleteNote(standing.project, "scratchpad", id, clock().toISOString());
    if (!gone) return unknownNote(fail, "scratchpad note", id, "knowledge.list_scratchpad");
    return { id, deleted: true as const, restorable: true as const };
  },
});
