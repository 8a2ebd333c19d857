import { count } from "../../kernel/numbers.ts";
import type { RenderContext } from "./render-context.ts";
import { indented } from "./statement.ts";
import { oneLine } from "./words.ts";

/** Longer lists say how many there are; `--json` has them all, or as many as were kept. */
const listed = 10;

/** `notKept`: those that are counted only. */
export function renderShortList(items: readonly string[], context: RenderContext, notKept = 0): string[] {
  const rest = items.length + notKept - listed;
  const there = notKept > 0 ? `the first ${items.length}` : "them all";
  return [
    ...items.slice(0, listed).flatMap((item) => indented(oneLine(item), context)),
    ...(rest > 0 ? [context.paint.dim(`  and ${count(rest, "other")}; --json has ${there}`)] : []),
  ];
}
