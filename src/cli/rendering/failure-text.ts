import type { CommandFailure } from "../failure.ts";
import { textWidth, wrap } from "./width.ts";

/** `width` is `undefined` where no terminal shows it: then a sentence is a line, as programs that look for one expect. */
export function failureText(
  { message, next }: Pick<CommandFailure, "message" | "next">,
  width: number | undefined,
): string {
  const said = width === undefined ? [`thoughtbox: ${message}`] : wrap(`thoughtbox: ${message}`, width);
  const step =
    next === undefined ? [] : nextStep(next, width === undefined ? undefined : width - indent.length);
  return `${[...said, ...step.map((line) => indent + line)].join("\n")}\n`;
}

const indent = "  ";

/** A command stays whole, for the terminal to wrap: a broken one cannot be copied. */
function nextStep(next: string, width: number | undefined): string[] {
  if (width === undefined || textWidth(next) <= width) return [next];
  const at = next.indexOf(": thoughtbox ");
  return at < 0 ? wrap(next, width) : [...wrap(next.slice(0, at + 1), width), next.slice(at + 2)];
}
