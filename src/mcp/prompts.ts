import {
  type GetPromptResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { parseFrontMatter } from "../kernel/front-matter.ts";
import type { Content } from "../ports/content.ts";

const headSchema = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  arguments: z.array(z.object({ name: z.string(), description: z.string(), required: z.boolean() })),
});
type PromptPage = z.infer<typeof headSchema> & { template: string };

async function readPrompt(content: Content, name: string): Promise<PromptPage> {
  const { head, body } = parseFrontMatter(await content.read(`prompts/${name}.md`));
  return { ...headSchema.parse(head), template: body };
}

export async function listPrompts(content: Content): Promise<Prompt[]> {
  const names = await content.list("prompts");
  const pages = await Promise.all(names.map((name) => readPrompt(content, name)));
  return pages.map(({ template: _template, ...prompt }) => prompt);
}

/** Fills the template; what the caller gives is inserted as text and never read as a template again. */
export async function getPrompt(
  content: Content,
  name: string,
  given: Record<string, string> = {},
): Promise<GetPromptResult> {
  const names = await content.list("prompts");
  if (!names.includes(name))
    throw refuse(`There is no prompt "${name.slice(0, 60)}"; there are ${names.join(", ")}.`);
  const { template, description, arguments: declared } = await readPrompt(content, name);
  const missing = declared.filter((argument) => argument.required && !given[argument.name]);
  if (missing.length > 0)
    throw refuse(`${name} needs ${missing.map((argument) => argument.name).join(", ")}.`);
  const values = new Map(declared.map((argument) => [argument.name, given[argument.name] ?? ""]));
  const text = template
    .replace(/\{\{(\w+)\}\}/g, (whole, argument: string) => values.get(argument) ?? whole)
    .trim();
  return { description, messages: [{ role: "user", content: { type: "text", text } }] };
}

const refuse = (message: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, message);
