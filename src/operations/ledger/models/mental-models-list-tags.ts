import * as z from "zod";
import { tagDefinitionSchema } from "../../../domain/models/mental-model.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { shortens } from "../../pipeline/fit/fit.ts";
import { loadTags } from "./load-models.ts";

export const mentalModelsListTags = defineOperation({
  name: "mental_models.list_tags",
  family: "ledger",
  title: "List model tags",
  summary:
    "Lists the six tags of the mental models and when to reach for each; they are the domains of stage 3.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "read",
  scope: "caller",
  input: {},
  output: z.strictObject({ tags: z.array(tagDefinitionSchema), count: z.int() }),
  fit: shortens("tags"),
  errors: [],
  examples: [{ title: "all six", given: "a session with thoughts", input: { sessionId: "$session" } }],

  async handle(_input, { content }) {
    const tags = await loadTags(content);
    return { tags, count: tags.length };
  },
});
