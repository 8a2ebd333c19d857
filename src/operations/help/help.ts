import * as z from "zod";
import { stages } from "../../domain/stages/stages.ts";
import { nearest } from "../../kernel/nearest.ts";
import { quote } from "../../kernel/text.ts";
import { defineOperation } from "../pipeline/define.ts";
import { workspace } from "../pipeline/fields.ts";
import { toolName } from "../pipeline/normalise.ts";
import type { Operation } from "../pipeline/operation.ts";
import { describeOperation } from "./describe-operation.ts";

const groupPages = new Map([
  ["session", "sessions"],
  ["mental_models", "models"],
  ["knowledge", "knowledge"],
  ["notebook", "notebooks"],
]);

const listMembers = (members: readonly Operation[]): string =>
  `Operations, each of which \`help\` explains: ${members.map(({ name }) => `\`${name}\``).join(", ")}.`;

export const help = defineOperation({
  name: "help",
  family: "ledger",
  title: "Help",
  summary:
    "Explains an operation (fields, examples and errors) or a subject. Without a topic, lists everything.",
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
      .describe("Name of an operation, or a subject such as branches."),
    workspace: workspace.optional().describe("Ignored: help is the same in every workspace."),
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
    { title: "a subject, within a small budget", input: { topic: "branches", max_chars: 1000 } },
  ],

  async handle({ topic }, { catalogue, content, fail }) {
    const subjects = await content.list("help");
    if (topic === undefined) return { topic: "overview", markdown: overview(catalogue, subjects) };
    const operation = catalogue.find(({ name }) => name === topic || toolName(name) === topic);
    if (operation) return { topic, markdown: describeOperation(operation) };
    const page = groupPages.get(topic);
    if (page !== undefined) {
      const members = catalogue.filter(({ name }) => name.startsWith(`${topic}.`));
      return { topic, markdown: `${await content.read(`help/${page}.md`)}\n${listMembers(members)}\n` };
    }
    const subject = topic
      .trim()
      .toLowerCase()
      .replaceAll(/[\s_]+/g, "-");
    if (subjects.includes(subject))
      return { topic: subject, markdown: await content.read(`help/${subject}.md`) };
    const guess = nearest(topic, [...subjects, ...catalogue.map(({ name }) => name)]);
    return fail(
      "INVALID_PAYLOAD",
      `There is no help on ${quote(topic)}.${guess ? ` Did you mean ${guess}?` : ""}`,
      {
        details: { subjects },
        recovery: {
          hint: guess ? `See the help on ${guess}.` : "List all operations and subjects.",
          operation: "help",
          args: guess ? { topic: guess } : {},
        },
      },
    );
  },
});

/** Returns the overview. It lists memory operations only by title, because there are many. */
export function overview(catalogue: readonly Operation[], subjects: readonly string[]): string {
  const [ledger, memory] = (["ledger", "memory"] as const).map((family) =>
    catalogue.filter((operation) => operation.family === family),
  );
  return [
    "# Thoughtbox",
    "",
    "Begin with `thought`. The first call opens a session, and later calls continue it. Through the gateway, call `start_new` and `cipher` first. Every error has a `recovery`.",
    "",
    "| operation | stage | description |",
    "|---|---|---|",
    ...(ledger ?? []).map(({ name, stage, summary }) => `| \`${name}\` | ${stages[stage]} | ${summary} |`),
    "",
    "## Memory",
    "",
    "The memory keeps notes, branches and graphs in a `workspace`. It needs no stage and no session. Begin with `macro_branch_note`.",
    "",
    "| operation | description |",
    "|---|---|",
    ...(memory ?? []).map(({ name, title }) => `| \`${name}\` | ${title} |`),
    "",
    `Subjects: ${subjects.join(", ")}. Read one with \`help {topic}\`.`,
    "",
  ].join("\n");
}
