import * as z from "zod";
import { shellWord } from "../kernel/shell-word.ts";
import type { Operation } from "../operations/pipeline/operation.ts";
import { renderRows, textLimit } from "./help-page.ts";
import type { RenderContext } from "./rendering/render-context.ts";
import { wrap } from "./rendering/width.ts";

type Field = { description?: string; type?: string; default?: unknown; enum?: unknown[] };
type Schema = { properties?: Record<string, Field>; required?: string[] };

/** One operation as people call it; agents get the same from the operation `help`. */
export function renderOperationPage(operation: Operation, context: RenderContext): string[] {
  const { name, title, summary, examples } = operation;
  const { paint } = context;
  const schema = z.toJSONSchema(operation.input, { io: "input" }) as Schema;
  const fields = Object.entries(schema.properties ?? {});
  const needed = (schema.required ?? []).map((field) => `${field}=…`);
  return [
    ...wrap(`${title}. ${summary}`, textLimit(context)).map(paint.bold),
    "",
    ...wrap(["thoughtbox call", name, ...needed, "[field=value…]"].join(" "), textLimit(context) - 2).map(
      (line) => `  ${line}`,
    ),
    "",
    paint.bold("Fields"),
    ...renderRows(
      fields.map(([field, about]) => [
        field,
        describeField(about, schema.required?.includes(field) ?? false),
      ]),
      context,
    ),
    ...(examples.length > 0 ? ["", paint.bold("Examples")] : []),
    ...examples.flatMap(({ title: shows, input }) => [
      ...callLines(name, input, textLimit(context) - 2).map((line) => `  ${paint.cyan(line)}`),
      `    ${paint.dim(shows)}`,
    ]),
  ];
}

function describeField(
  { description = "", type, default: preset, enum: choices }: Field,
  needed: boolean,
): string {
  return [
    description,
    ...(choices ? [`One of ${choices.join(", ")}.`] : []),
    ...(type === "array" || type === "object" ? ["As JSON."] : []),
    ...(needed ? ["Required."] : []),
    ...(preset === undefined || /\bdefault\b/i.test(description)
      ? []
      : [`Default ${JSON.stringify(preset)}.`]),
  ].join(" ");
}

/** What is too long goes a field a line, so that it can still be pasted. */
function callLines(name: string, input: Record<string, unknown>, room: number): string[] {
  const words = Object.entries(input).map(([field, value]) => `${field}=${shellWord(value)}`);
  const begin = `thoughtbox call ${name}`;
  const line = [begin, ...words].join(" ");
  if (line.length <= room) return [line];
  return [begin, ...words.map((word) => `  ${word}`)].map((part, index) =>
    index < words.length ? `${part} \\` : part,
  );
}
