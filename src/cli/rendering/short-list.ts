import { count } from "../../kernel/numbers.ts";
import type { RenderContext } from "./render-context.ts";
import { indented } from "./statement.ts";
import { oneLine } from "./words.ts";

/** Longer lists say how many there are; `--json` has them all. */
const listed = 10;

export function renderShortList(items: readonly string[], context: RenderContext): string[] {
  const rest = items.length - listed;
  return [
    ...items.slice(0, listed).flatMap((item) => indented(oneLine(item), context)),
    ...(rest > 0 ? [context.paint.dim(`  and ${count(rest, "other")}; --json has them all`)] : []),
  ];
}
