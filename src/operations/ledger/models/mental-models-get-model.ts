import * as z from "zod";
import { nearest } from "../../../kernel/nearest.ts";
import { quote } from "../../../kernel/text.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { loadModels } from "./load-models.ts";

export const mentalModelsGetModel = defineOperation({
  name: "mental_models.get_model",
  family: "ledger",
  title: "Read a mental model",
  summary: "Returns one way of thinking in full: purpose, process, worked example, anti-patterns.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "read",
  scope: "caller",
  input: { modelId: z.string().min(1).max(100).describe("Name of the model, such as five-whys.") },
  spellings: { aliases: { model: "modelId" } },
  output: z.strictObject({
    name: z.string(),
    title: z.string(),
    tags: z.array(z.string()),
    content: z.string(),
  }),
  prose: "content",
  errors: ["INVALID_PAYLOAD"],
  examples: [
    {
      title: "five whys",
      given: "a session with thoughts",
      input: { sessionId: "$session", modelId: "five-whys" },
    },
  ],

  async handle({ modelId }, { content, fail }) {
    const models = await loadModels(content);
    const model = models.find(({ name }) => name === modelId);
    if (model) {
      const { name, title, tags, content: text } = model;
      return { name, title, tags, content: text };
    }
    const names = models.map(({ name }) => name);
    const guess = nearest(modelId, names);
    return fail(
      "INVALID_PAYLOAD",
      `There is no model ${quote(modelId)}.${guess ? ` Did you mean ${guess}?` : ""}`,
      {
        details: { models: names },
        recovery: {
          hint: "Take one of details.models.",
          operation: "mental_models.get_model",
          args: { modelId: guess ?? names[0] },
          patch: true,
        },
      },
    );
  },
});
