import { proseWidth, type RenderContext } from "./render-context.ts";
import { wrap } from "./width.ts";

export type Mark = "good" | "look" | "bad" | "none";

/** One mark for one meaning, wherever something is judged. */
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

/** A marked sentence, wrapped under itself. */
export function renderStatement(mark: Mark, text: string, context: RenderContext): string[] {
  return indented(text, context).map((line, index) =>
    index === 0 ? `${renderMark(mark, context)} ${line.trimStart()}` : line,
  );
}

export function indented(text: string, { width }: RenderContext, by = 2): string[] {
  return wrap(text, Math.min(width, proseWidth) - by).map((line) => " ".repeat(by) + line);
}
