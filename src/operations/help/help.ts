import * as z from "zod";
import { nearest } from "../../kernel/nearest.ts";
import { quote } from "../../kernel/text.ts";
import { budgetSchema, usualChars } from "../memory/answer-budget.ts";
import { budgetFields, workspace } from "../memory/fields.ts";
import { answerBudget } from "../pipeline/budget.ts";
import { defineOperation } from "../pipeline/define.ts";
import { toolName } from "../pipeline/normalise.ts";
import { describeOperation } from "./describe-operation.ts";
import { fitPage } from "./fit-page.ts";
import { overview } from "./overview.ts";

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
    max_chars: budgetFields.max_chars.optional(),
    max_bytes: budgetFields.max_bytes.optional(),
    max_lines: budgetFields.max_lines.optional(),
    workspace: workspace.optional().describe("Makes no difference: help is the same in every workspace."),
  },
  advanced: ["max_bytes", "max_lines", "workspace"],
  spellings: { aliases: { operationName: "topic", name: "topic", operation: "topic" } },
  output: z.strictObject({
    topic: z.string(),
    markdown: z.string(),
    truncated: z.boolean().optional(),
    budget: budgetSchema.optional(),
  }),
  prose: true,
  errors: ["INVALID_PAYLOAD"],
  examples: [
    { title: "everything", input: {} },
    { title: "one operation", input: { topic: "thought" } },
    { title: "a subject, in few characters", input: { topic: "branches", max_chars: 1000 } },
  ],

  async handle({ topic, ...asked }, { catalogue, content, warn }, fail) {
    const subjects = await content.list("help");
    if (topic === undefined)
      return fitPage({ topic: "overview", markdown: overview(catalogue, subjects) }, asked, usualChars, warn);
    const operations = catalogue.filter(
      ({ name }) => name === topic || toolName(name) === topic || name.startsWith(`${topic}.`),
    );
    if (operations.length > 0) {
      const markdown = operations.map(describeOperation).join("\n");
      return fitPage({ topic, markdown }, asked, answerBudget, warn);
    }
    const subject = topic
      .trim()
      .toLowerCase()
      .replaceAll(/[\s_]+/g, "-");
    if (subjects.includes(subject)) {
      const markdown = await content.read(`help/${subject}.md`);
      return fitPage({ topic: subject, markdown }, asked, usualChars, warn);
    }
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
