import * as z from "zod";
import { type Domain, domains, stages } from "../../../domain/stages/stages.ts";
import { parseFrontMatter } from "../../../kernel/front-matter.ts";
import { nearest } from "../../../kernel/nearest.ts";
import { quote } from "../../../kernel/text.ts";
import type { Content } from "../../../ports/content.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { shortens } from "../../pipeline/fit/fit.ts";

const mentalModelSchema = z.strictObject({
  name: z.string().regex(/^[a-z-]+$/),
  title: z.string().min(1),
  description: z.string().min(1).max(200),
  tags: z.array(z.string()).min(1),
  content: z.string().min(1),
});
type MentalModel = z.infer<typeof mentalModelSchema>;

const tagDefinitionSchema = z.strictObject({ name: z.string(), description: z.string() });
type TagDefinition = z.infer<typeof tagDefinitionSchema>;

/** Parses a mental model. Throws if its file is invalid, because the files are part of Thoughtbox. */
export function parseMentalModel(text: string): MentalModel {
  const { head, body } = parseFrontMatter(text);
  return mentalModelSchema.parse({ ...head, content: body.trim() });
}

/** Reads the fifteen small files on demand, because they are rarely needed. */
export async function loadModels(content: Content): Promise<MentalModel[]> {
  const names = await content.list("mental-models");
  return Promise.all(
    names.map(async (name) => parseMentalModel(await content.read(`mental-models/${name}.md`))),
  );
}

export async function loadTags(content: Content): Promise<TagDefinition[]> {
  return z.array(tagDefinitionSchema).parse(JSON.parse(await content.read("mental-models-tags.json")));
}

export const mentalModelsListModels = defineOperation({
  name: "mental_models.list_models",
  family: "ledger",
  title: "List mental models",
  summary:
    "Lists the fifteen mental models, with a filter by tag. At stage 3, models for your domain are listed first.",
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

  async handle({ tags }, { content, callerState }) {
    const all = await loadModels(content);
    const wanted = tags ? all.filter((model) => tags.some((tag) => model.tags.includes(tag))) : all;
    const first = callerState.stage >= stages.domain_active ? callerState.domain : undefined;
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

export const mentalModelsGetModel = defineOperation({
  name: "mental_models.get_model",
  family: "ledger",
  title: "Read a mental model",
  summary: "Returns one mental model in full: purpose, process, worked example and anti-patterns.",
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
          hint: `Read ${guess ?? names[0]}, or another model from details.models.`,
          operation: "mental_models.get_model",
          args: { modelId: guess ?? names[0] },
          patch: true,
        },
      },
    );
  },
});

export const mentalModelsListTags = defineOperation({
  name: "mental_models.list_tags",
  family: "ledger",
  title: "List model tags",
  summary:
    "Lists the six tags of the mental models and when to use each. The tags are also the domains of stage 3.",
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
