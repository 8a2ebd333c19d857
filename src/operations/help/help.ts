import * as z from "zod";
import { stages } from "../../domain/stages/stages.ts";
import { nearest } from "../../kernel/nearest.ts";
import { quote } from "../../kernel/text.ts";
import { defineOperation, type Operation } from "../define.ts";
import { toolName } from "../normalise.ts";
import { describeOperation } from "./describe-operation.ts";

export const help = defineOperation({
  name: "help",
  family: "ledger",
  title: "Help",
  summary: "Explains an operation (fields, example, errors) or a subject; without a topic, lists everything.",
  toolset: "daily",
  stage: "entry",
  effect: "read",
  input: {
    topic: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe("An operation's name, or a subject such as branches."),
  },
  spellings: { aliases: { operationName: "topic", name: "topic" } },
  output: z.strictObject({ topic: z.string(), markdown: z.string() }),
  prose: true,
  errors: ["INVALID_PAYLOAD"],
  examples: [
    { title: "everything", input: {} },
    { title: "one operation", input: { topic: "thought" } },
    { title: "a subject", input: { topic: "branches" } },
  ],

  async handle({ topic }, { catalogue, content }, fail) {
    const subjects = await content.list("help");
    if (topic === undefined) return { topic: "overview", markdown: overview(catalogue, subjects) };
    const operations = catalogue.filter(
      ({ name }) => name === topic || toolName(name) === topic || name.startsWith(`${topic}.`),
    );
    if (operations.length > 0) return { topic, markdown: operations.map(describeOperation).join("\n") };
    if (subjects.includes(topic)) return { topic, markdown: await content.read(`help/${topic}.md`) };
    const guess = nearest(topic, [...subjects, ...catalogue.map(({ name }) => name)]);
    return fail(
      "INVALID_PAYLOAD",
      `There is no help on ${quote(topic)}.${guess ? ` Did you mean ${guess}?` : ""}`,
      {
        details: { subjects },
        recovery: {
          hint: "See everything there is.",
          operation: "help",
          args: guess ? { topic: guess } : {},
        },
      },
    );
  },
});

function overview(catalogue: readonly Operation[], subjects: readonly string[]): string {
  return [
    "# Thoughtbox",
    "",
    "Begin: `start_new` → `cipher` → `thought`; pass `sessionId` in every call. Every error carries a `recovery`.",
    "",
    "| operation | stage | what |",
    "|---|---|---|",
    ...catalogue.map(({ name, stage, summary }) => `| \`${name}\` | ${stages[stage]} | ${summary} |`),
    "",
    `Subjects: ${subjects.join(", ")}. Ask by \`help {topic}\`.`,
    "",
  ].join("\n");
}
