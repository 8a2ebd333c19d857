import * as z from "zod";
import { nearest } from "../../kernel/nearest.ts";
import { quote } from "../../kernel/text.ts";
import { defineOperation } from "../pipeline/define.ts";
import { workspace } from "../pipeline/fields.ts";
import { toolName } from "../pipeline/normalise.ts";
import { describeOperation } from "./describe-operation.ts";
import { overview } from "./overview.ts";

export const help = defineOperation({
  name: "help",
  family: "ledger",
  title: "Help",
  summary: "Explains an operation (fields, example, errors) or a subject; without a topic, lists everything.",
  toolset: "full",
  stage: "entry",
  effect: "read",
  scope: "caller",
  input: {
    topic: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe("An operation's name, or a subject such as branches."),
    workspace: workspace.optional().describe("Makes no difference: help is the same in every workspace."),
  },
  advanced: ["workspace"],
  spellings: { aliases: { operationName: "topic", name: "topic", operation: "topic" } },
  output: z.strictObject({ topic: z.string(), markdown: z.string() }),
  prose: "markdown",
  fit: { plan: { text: "markdown" }, budget: "caller" },
  errors: ["INVALID_PAYLOAD"],
  examples: [
    { title: "everything", input: {} },
    { title: "one operation", input: { topic: "thought" } },
    { title: "a subject, in few characters", input: { topic: "branches", max_chars: 1000 } },
  ],

  async handle({ topic }, { catalogue, content, fail }) {
    const subjects = await content.list("help");
    if (topic === undefined) return { topic: "overview", markdown: overview(catalogue, subjects) };
    const operations = catalogue.filter(
      ({ name }) => name === topic || toolName(name) === topic || name.startsWith(`${topic}.`),
    );
    if (operations.length > 0) {
      const markdown = operations.map(describeOperation).join("\n");
      return { topic, markdown };
    }
    const subject = topic
      .trim()
      .toLowerCase()
      .replaceAll(/[\s_]+/g, "-");
    if (subjects.includes(subject)) {
      const markdown = await content.read(`help/${subject}.md`);
      return { topic: subject, markdown };
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
