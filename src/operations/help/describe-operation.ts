import * as z from "zod";
import { stages } from "../../domain/stages/stages.ts";
import { errorCatalogue } from "../../kernel/errors.ts";
import type { Operation } from "../pipeline/operation.ts";

type Field = { description?: string; type?: string; default?: unknown; enum?: unknown[] };

/** Returns one operation as a Markdown page, for `help` and the reference docs. */
export function describeOperation(operation: Operation): string {
  const { name, title, summary, effect, errors, examples } = operation;
  return [
    `# ${name}`,
    "",
    `${title}. ${summary}`,
    "",
    `${opensAt(operation)} · ${effect} · ${callForm(name)}`,
    "",
    "| field | type | description |",
    "|---|---|---|",
    ...describeFields(operation),
    "",
    ...spellings(operation),
    "## Examples",
    ...examples.flatMap((example) => [
      "",
      `${example.title}:`,
      "```json",
      JSON.stringify(toCall(operation, example.input)),
      "```",
    ]),
    ...(errors.length > 0
      ? ["", "## Errors", "", ...errors.map((code) => `- ${code}: ${errorCatalogue[code].meaning}`)]
      : []),
    "",
  ].join("\n");
}

export function toCall(
  { name, family }: Pick<Operation, "name" | "family">,
  input: Record<string, unknown>,
): Record<string, unknown> {
  const [operation, subOperation] = name.split(".");
  const shown = showPlaceholders(input);
  if (family === "memory") return { operation, args: shown };
  return { operation, ...(subOperation && { subOperation }), ...shown };
}

/** Examples use `$…` for values that their `given` setup creates. Readers see these placeholders instead. */
const placeholders: Record<string, string> = {
  $session: "<sessionId>",
  "session/$session": "session/<sessionId>",
  $conflict: "<conflict_id>",
  $notebook: "<notebookId>",
};

function showPlaceholders(input: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).map(([field, value]) => [field, showPlaceholder(value)]));
}

function showPlaceholder(value: unknown): unknown {
  if (typeof value === "string") return Object.hasOwn(placeholders, value) ? placeholders[value] : value;
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? showPlaceholders(value) : value;
}

const opensAt = ({ family, stage }: Operation): string =>
  family === "memory" ? "Available at every stage" : `Stage ${stages[stage]} (${stage})`;

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
    ([field, { description = "", type = "any", default: preset, enum: values }]) => {
      const required = schema.required?.includes(field) ? " **(required)**" : "";
      const choices = values ? ` One of ${values.map((value) => `\`${value}\``).join(", ")}.` : "";
      const said = preset === undefined || /\bdefault\b/i.test(description);
      const byDefault = said ? "" : ` Default \`${JSON.stringify(preset)}\`.`;
      const rare = advanced.includes(field) ? " *(advanced)*" : "";
      return `| \`${field}\` | ${type} | ${description.replaceAll("|", "\\|")}${required}${choices}${byDefault}${rare} |`;
    },
  );
}

function spellings({ spellings: { aliases, envelopes } }: Operation): string[] {
  const names = Object.entries(aliases).map(([alias, name]) => `\`${alias}\` for \`${name}\``);
  const wrapped = envelopes.map((envelope) => `all fields under \`${envelope}\``);
  const all = [...names, ...wrapped];
  return all.length > 0 ? [`Also accepted: ${all.join(", ")}.`, ""] : [];
}

/** Returns the first page of the generated reference, which lists all operations and error codes. */
export function referenceIndex(catalogue: readonly Operation[]): string {
  const daily = catalogue.filter(({ toolset }) => toolset !== "full");
  return [
    "# Reference",
    "",
    "Generated from the catalogue by `npm run docs`. Do not edit by hand.",
    "",
    "You can call every operation through the `thoughtbox_gateway` tool. Most are also separate tools.",
    "`THOUGHTBOX_TOOLSET` sets which tools clients see: `gateway`, `core`, `daily` (the default) or `full`.",
    "[Settings](settings.md) are on a separate page.",
    "",
    "## Daily tools",
    "",
    ...tableOf(daily),
    "",
    "## Ledger",
    "",
    ...tableOf(catalogue.filter(({ family }) => family === "ledger")),
    "",
    "## Memory",
    "",
    ...tableOf(catalogue.filter(({ family }) => family === "memory")),
    "",
    "## Errors",
    "",
    "| code | HTTP equivalent | meaning |",
    "|---|---|---|",
    ...Object.entries(errorCatalogue).map(
      ([code, { status, meaning }]) => `| \`${code}\` | ${status} | ${meaning} |`,
    ),
    "",
  ].join("\n");
}

const tableOf = (operations: readonly Operation[]): string[] => [
  "| operation | stage | effect | toolset | description |",
  "|---|---|---|---|---|",
  ...operations.map(
    ({ name, family, stage, effect, toolset, summary }) =>
      `| [\`${name}\`](${name}.md) | ${family === "memory" ? "any" : stages[stage]} | ${effect} | ${toolset} | ${summary} |`,
  ),
];
