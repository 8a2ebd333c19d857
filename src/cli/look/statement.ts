import { type Look, proseWidth } from "./look.ts";
import { wrap } from "./width.ts";

export type Mark = "good" | "look" | "bad" | "none";

/** One mark for one meaning, wherever something is judged. */
export function renderMark(mark: Mark, { paint }: Look): string {
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
export function renderStatement(mark: Mark, text: string, look: Look): string[] {
  return indented(text, look).map((line, index) =>
    index === 0 ? `${renderMark(mark, look)} ${line.trimStart()}` : line,
  );
}

export function indented(text: string, { width }: Look, by = 2): string[] {
  return wrap(text, Math.min(width, proseWidth) - by).map((line) => " ".repeat(by) + line);
}
