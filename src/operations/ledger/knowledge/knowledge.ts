import * as z from "zod";
import { defineOperation } from "../../pipeline/define.ts";
import { shortens } from "../../pipeline/fit/fit.ts";

export const knowledgeListTags = defineOperation({
  name: "knowledge.list_tags",
  family: "ledger",
  title: "List knowledge tags",
  summary: "Lists the tags of the project's patterns, most used first.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "read",
  scope: "caller",
  input: {},
  output: z.strictObject({
    tags: z.array(z.strictObject({ name: z.string(), count: z.int() })),
    count: z.int(),
  }),
  fit: shortens("tags"),
  errors: ["STORAGE_ERROR"],
  examples: [{ title: "all of them", given: "a project with knowledge", input: { sessionId: "$session" } }],

  async handle(_input, { knowledge, standing }) {
    const tags = await knowledge.listNoteTags(standing.project);
    return { tags, count: tags.length };
  },
});
