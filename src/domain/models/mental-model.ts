import * as z from "zod";
import { parseFrontMatter } from "../../kernel/front-matter.ts";

export const mentalModelSchema = z.strictObject({
  name: z.string().regex(/^[a-z-]+$/),
  title: z.string().min(1),
  description: z.string().min(1).max(200),
  tags: z.array(z.string()).min(1),
  content: z.string().min(1),
});
export type MentalModel = z.infer<typeof mentalModelSchema>;

export const tagDefinitionSchema = z.strictObject({ name: z.string(), description: z.string() });
export type TagDefinition = z.infer<typeof tagDefinitionSchema>;

/** Reads a model from its Markdown file; a file of ours that does not fit is a bug, so it throws. */
export function parseMentalModel(text: string): MentalModel {
  const { head, body } = parseFrontMatter(text);
  return mentalModelSchema.parse({ ...head, content: body.trim() });
}
