import * as z from "zod";
import { type Domain, domains, stages } from "../../../domain/stages/stages.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { shortens } from "../../pipeline/fit/fit.ts";
import { loadModels } from "./load-models.ts";

export const mentalModelsListModels = defineOperation({
  name: "mental_models.list_models",
  family: "ledger",
  title: "List mental models",
  summary:
    "Lists the fifteen ways of thinking, by tag if wanted; at stage 3 those of your domain come first.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "read",
  scope: "caller",
  input: { tags: z.array(z.enum(domains)).max(6).optional().describe("Only models with one of these tags.") },
  spellings: { aliases: { tag: "tags" } },
  output: z.strictObject({
    models: z.array(
      z.strictObject({
        name: z.string(),
        title: z.string(),
        description: z.string(),
        tags: z.array(z.string()),
      }),
    ),
    count: z.int(),
    filter: z.string().nullable(),
    domainFirst: z.string().optional(),
  }),
  fit: shortens("models"),
  errors: [],
  examples: [
    { title: "all of them", given: "a session with thoughts", input: { sessionId: "$session" } },
    {
      title: "for debugging",
      given: "a session with thoughts",
      input: { sessionId: "$session", tags: ["debugging"] },
    },
  ],

  async handle({ tags }, { content, standing }) {
    const all = await loadModels(content);
    const wanted = tags ? all.filter((model) => tags.some((tag) => model.tags.includes(tag))) : all;
    const first = standing.stage >= stages.domain_active ? standing.domain : undefined;
    const models = wanted
      .sort((a, b) => ofDomain(b.tags, first) - ofDomain(a.tags, first))
      .map(({ content: _text, ...listed }) => listed);
    return {
      models,
      count: models.length,
      filter: tags?.join(", ") ?? null,
      ...(first && { domainFirst: first }),
    };
  },
});

const ofDomain = (tags: readonly string[], domain: Domain | undefined): number =>
  domain !== undefined && tags.includes(domain) ? 1 : 0;
