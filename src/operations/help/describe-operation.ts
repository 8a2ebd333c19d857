import * as z from "zod";
import { stages } from "../../domain/stages/stages.ts";
import { errorCatalogue } from "../../kernel/errors.ts";
import type { Operation } from "../define.ts";

type Field = { description?: string; type?: string; default?: unknown; enum?: unknown[] };

/** One operation as a Markdown page: the same text for `help` and for the reference docs. */
export function describeOperation(operation: Operation): string {
  const { name, title, summary, stage, effect, errors, examples } = operation;
  return [
    `# ${name}`,
    "",
    `${title}. ${summary}`,
    "",
    `Stage ${stages[stage]} (${stage}) · ${effect} · ${callForm(name)}`,
    "",
    "| field | type | what |",
    "|---|---|---|",
    ...describeFields(operation),
    "",
    ...spellings(operation),
    "## Examples",
    ...examples.flatMap((example) => [
      "",
      `${example.title}:`,
      "```json",
      JSON.stringify(toCall(name, example.input)),
      "```",
    ]),
    ...(errors.length > 0
      ? ["", "## Errors", "", ...errors.map((code) => `- ${code}: ${errorCatalogue[code].meaning}`)]
      : []),
    "",
  ].join("\n");
}

/** A call as the gateway takes it. */
export function toCall(name: string, input: Record<string, unknown>): Record<string, unknown> {
  const [operation, subOperation] = name.split(".");
  return { operation, ...(subOperation && { subOperation }), ...showSession(input) };
}

function showSession(input: Record<string, unknown>): Record<string, unknown> {
  return input["sessionId"] === "$session" ? { ...input, sessionId: "<sessionId>" } : input;
}

function callForm(name: string): string {
  const [operation, subOperation] = name.split(".");
  return subOperation
    ? `\`{operation: "${operation}", subOperation: "${subOperation}"}\``
    : `\`{operation: "${operation}"}\``;
}

function describeFields({ input, advanced }: Operation): string[] {
  const schema = z.toJSONSchema(input, { io: "input" }) as {
    properties?: Record<string, Field>;
    required?: string[];
  };
  return Object.entries(schema.properties ?? {}).map(
    ([field, { description = "", type = "any", default: usual, enum: values }]) => {
      const required = schema.required?.includes(field) ? " **(required)**" : "";
      const choices = values ? ` One of ${values.map((value) => `\`${value}\``).join(", ")}.` : "";
      const preset = usual === undefined ? "" : ` Default \`${JSON.stringify(usual)}\`.`;
      const rare = advanced.includes(field) ? " *(advanced)*" : "";
      return `| \`${field}\` | ${type} | ${description.replaceAll("|", "\\|")}${required}${choices}${preset}${rare} |`;
    },
  );
}

function spellings({ spellings: { aliases, envelopes } }: Operation): string[] {
  const names = Object.entries(aliases).map(([alias, name]) => `\`${alias}\` for \`${name}\``);
  const wrapped = envelopes.map((envelope) => `all fields under \`${envelope}\``);
  const all = [...names, ...wrapped];
  return all.length > 0 ? [`Also understood: ${all.join(", ")}.`, ""] : [];
}
