import { type Command, groups, type Option, optionsOf } from "./command.ts";
import { proseWidth, type RenderContext } from "./rendering/render-context.ts";
import { pad, textWidth, wrap } from "./rendering/width.ts";

const indent = "  ";

/** Every command in a line each. */
export function renderOverview(commands: readonly Command[], context: RenderContext): string[] {
  const { paint } = context;
  return [
    paint.bold("Thoughtbox keeps the reasoning of AI agents."),
    "",
    `${indent}thoughtbox <command> [options]`,
    ...groups.flatMap((group) => [
      "",
      paint.bold(group),
      ...renderRows(
        commands.filter((command) => command.group === group).map(({ name, summary }) => [name, summary]),
        context,
        12,
      ),
    ]),
    "",
    ...wrap(
      "More about one: thoughtbox help <command>. Agents see operations instead: thoughtbox call help",
      textLimit(context),
    ).map(paint.dim),
  ];
}

export function renderCommandPage(command: Command, context: RenderContext): string[] {
  const { paint } = context;
  const { name, summary, words = [], details = [], examples } = command;
  const usage = ["thoughtbox", name, ...words, "[options]"].join(" ");
  return [
    ...wrap(summary, textLimit(context)).map(paint.bold),
    "",
    `${indent}${usage}`,
    ...(details.length > 0 ? ["", ...details.flatMap((line) => wrap(line, textLimit(context)))] : []),
    "",
    paint.bold("Options"),
    ...renderRows(
      Object.entries(optionsOf(command)).map(([flag, option]) => [
        optionForm(flag, option),
        describeOption(option),
      ]),
      context,
    ),
    "",
    paint.bold("Examples"),
    ...examples.flatMap(({ line, shows }) => [
      `${indent}${paint.cyan(line)}`,
      `${indent}${indent}${paint.dim(shows)}`,
    ]),
  ];
}

function optionForm(flag: string, { value, short }: Option): string {
  return `${short === undefined ? "" : `-${short}, `}--${flag}${value === undefined ? "" : ` <${value}>`}`;
}

/** Choices that are words worth typing; the letters of the cipher explain themselves in the description. */
function describeOption({ describe, choices = [] }: Option): string {
  return choices.length > 0 ? `${describe} One of ${choices.join(", ")}.` : describe;
}

export function renderRows(
  rows: readonly (readonly [name: string, text: string])[],
  context: RenderContext,
  atLeast = 0,
): string[] {
  const column = rows.reduce((widest, [name]) => Math.max(widest, textWidth(name)), atLeast);
  const room = textLimit(context) - column - 4;
  return rows.flatMap(([name, text]) => {
    const [first = "", ...rest] = wrap(text, Math.max(20, room));
    return [
      `${indent}${context.paint.cyan(pad(name, column))}  ${first}`,
      ...rest.map((line) => indent + " ".repeat(column + 2) + line),
    ];
  });
}

export const textLimit = ({ width }: RenderContext): number => Math.min(width, proseWidth);
