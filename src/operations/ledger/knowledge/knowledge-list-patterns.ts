import * as z from "zod";
import { patternSchema, toPattern } from "../../../domain/knowledge/note.ts";
import { clipWhole } from "../../../kernel/secrets/secrets-policy.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { pages } from "../../pipeline/fit/fit.ts";
import { offsetPage, offsetPageSchema } from "../../pipeline/paging.ts";
import { noteFilterFields } from "./pattern-fields.ts";

export const knowledgeListPatterns = defineOperation({
  name: "knowledge.list_patterns",
  family: "ledger",
  title: "List patterns",
  summary: "Lists what the project has learned, by words and tags; contents are shortened.",
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

  async handle(filter, { knowledge, standing }) {
    const { notes, total } = await knowledge.listNotes({
      ...filter,
      project: standing.project,
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
