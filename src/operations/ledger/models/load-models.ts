import * as z from "zod";
import {
  type MentalModel,
  parseMentalModel,
  type TagDefinition,
  tagDefinitionSchema,
} from "../../../domain/models/mental-model.ts";
import type { Content } from "../../../ports/content.ts";

/** All models, sorted by name. Read when asked for: fifteen small files, rarely wanted. */
export async function loadModels(content: Content): Promise<MentalModel[]> {
  const names = await content.list("mental-models");
  return Promise.all(
    names.map(async (name) => parseMentalModel(await content.read(`mental-models/${name}.md`))),
  );
}

export async function loadTags(content: Content): Promise<TagDefinition[]> {
  return z.array(tagDefinitionSchema).parse(JSON.parse(await content.read("mental-models-tags.json")));
}
