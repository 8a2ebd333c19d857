import {
  type GetPromptResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { parseFrontMatter } from "../kernel/front-matter.ts";
import { nearest } from "../kernel/nearest.ts";
import { quote } from "../kernel/text.ts";
import type { Content } from "../ports/content.ts";

const headSchema = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  arguments: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      required: z.boolean(),
      kind: z.enum(["text", "number", "flag", "session"]).default("text"),
      default: z.string().default(""),
    }),
  ),
});
type PromptPage = z.infer<typeof headSchema> & { template: string };
type PromptArgument = PromptPage["arguments"][number];

const longest = 100_000;
/** The format of an argument. The words complete "thoughts_limit must be …". */
const kinds: Record<PromptArgument["kind"], { fits(value: string): boolean; words: string }> = {
  text: { fits: (value) => value.length <= longest, words: "at most 100,000 characters" },
  number: { fits: (value) => /^[1-9]\d{0,2}$|^1000$/.test(value), words: "a whole number from 1 to 1000" },
  flag: { fits: (value) => /^(true|false)$/.test(value), words: "true or false" },
  session: { fits: (value) => /^[0-9a-f]{8}[0-9a-f-]{0,28}$/.test(value), words: "the ID of a session" },
};

async function readPrompt(content: Content, name: string): Promise<PromptPage> {
  const { head, body } = parseFrontMatter(await content.read(`prompts/${name}.md`));
  return { ...headSchema.parse(head), template: body };
}

export async function listPrompts(content: Content): Promise<Prompt[]> {
  const names = await content.list("prompts");
  const pages = await Promise.all(names.map((name) => readPrompt(content, name)));
  return pages.map(({ template: _template, ...prompt }) => ({
    ...prompt,
    arguments: prompt.arguments.map(({ kind: _kind, default: _default, ...argument }) => argument),
  }));
}

/** Fills the template. The caller's values are inserted as text and never treated as a template. */
export async function getPrompt(
  content: Content,
  name: string,
  given: Record<string, string> = {},
): Promise<GetPromptResult> {
  const names = await content.list("prompts");
  if (!names.includes(name))
    throw refuse(`There is no prompt "${name.slice(0, 60)}". Choose one of ${names.join(", ")}.`);
  const { template, description, arguments: declared } = await readPrompt(content, name);
  checkArguments(name, declared, given);
  const values = new Map(
    declared.map((argument) => [argument.name, given[argument.name]?.trim() || argument.default]),
  );
  const text = template
    .replace(/\{\{(\w+)\}\}/g, (whole, argument: string) => values.get(argument) ?? whole)
    .trim();
  return { description, messages: [{ role: "user", content: { type: "text", text } }] };
}

function checkArguments(
  prompt: string,
  declared: readonly PromptArgument[],
  given: Record<string, string>,
): void {
  const names = declared.map((argument) => argument.name);
  const stray = Object.keys(given).find((name) => !names.includes(name));
  if (stray !== undefined) {
    const guess = nearest(stray, names);
    throw refuse(
      `${prompt} has no argument ${quote(stray, 60)}${guess ? `. Did you mean ${guess}?` : `. Its arguments: ${names.join(", ") || "none"}.`}`,
    );
  }
  const missing = declared.filter((argument) => argument.required && !given[argument.name]?.trim());
  if (missing.length > 0)
    throw refuse(`${prompt} needs ${missing.map((argument) => argument.name).join(", ")}.`);
  for (const { name, kind } of declared) {
    const value = given[name]?.trim();
    if (value && !kinds[kind].fits(value))
      throw refuse(`${name} must be ${kinds[kind].words}, not ${quote(value, 60)}.`);
  }
}

const refuse = (message: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, message);
