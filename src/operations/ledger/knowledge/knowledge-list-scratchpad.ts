import * as z from "zod";
import { scratchpadSchema, toScratchpad } from "../../../domain/knowledge/note.ts";
import { clipWhole } from "../../../kernel/secrets/secrets-policy.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { limit, offset } from "../../pipeline/fields.ts";
import { pages } from "../../pipeline/fit/fit.ts";
import { offsetPage, offsetPageSchema } from "../../pipeline/paging.ts";

export const knowledgeListScratchpad = defineOperation({
  name: "knowledge.list_scratchpad",
  family: "ledger",
  title: "List scratchpad notes",
  summary: "Lists the scratchpad notes of the project, newest first; contents are shortened.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "read",
  scope: "caller",
  input: { limit: limit(100, 20), offset },
  output: z.strictObject({ notes: z.array(scratchpadSchema), ...offsetPageSchema }),
  fit: pages("notes"),
  errors: ["STORAGE_ERROR"],
  examples: [{ title: "the newest", given: "a project with knowledge", input: { sessionId: "$session" } }],

  async handle({ limit, offset }, { knowledge, standing }) {
    const { notes, total } = await knowledge.listNotes({
      project: standing.project,
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
