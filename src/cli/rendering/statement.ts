import { count } from "../../kernel/numbers.ts";
import { proseWidth, type RenderContext } from "./render-context.ts";
import { foldHint, wrap } from "./width.ts";
import { oneLine } from "./words.ts";

export type Mark = "good" | "look" | "bad" | "none";

/** Each mark has one meaning everywhere. */
export function renderMark(mark: Mark, { paint }: RenderContext): string {
  switch (mark) {
    case "good":
      return paint.green("✓");
    case "look":
      return paint.yellow("!");
    case "bad":
      return paint.red("✗");
    case "none":
      return paint.dim("·");
  }
}

/** A marked sentence with a hanging indent. */
export function renderStatement(mark: Mark, text: string, context: RenderContext): string[] {
  return indented(text, context).map((line, index) =>
    index === 0 ? `${renderMark(mark, context)} ${line.trimStart()}` : line,
  );
}

/** What to do next. `--quiet` leaves it out. */
export const renderHint = (text: string, { width, paint, quiet }: RenderContext): string[] =>
  quiet ? [] : foldHint(text, Math.min(width, proseWidth)).map(paint.dim);

export function indented(text: string, { width }: RenderContext, by = 2): string[] {
  return wrap(text, Math.min(width, proseWidth) - by).map((line) => " ".repeat(by) + line);
}

/** Longer lists end with a count of the rest. */
const listed = 10;

/** `notKept`: how many more items exist that `items` does not contain. */
export function renderShortList(items: readonly string[], context: RenderContext, notKept = 0): string[] {
  const rest = items.length + notKept - listed;
  const there = notKept > 0 ? `the first ${items.length}` : "them all";
  return [
    ...items.slice(0, listed).flatMap((item) => indented(oneLine(item), context)),
    ...(rest > 0 ? [context.paint.dim(`  and ${count(rest, "other")}. --json lists ${there}`)] : []),
  ];
}
