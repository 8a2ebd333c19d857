import type { Look } from "./look.ts";
import { indented } from "./statement.ts";
import { count, oneLine } from "./words.ts";

/** Longer lists say how many there are; `--json` has them all. */
const listed = 10;

export function renderShortList(items: readonly string[], look: Look): string[] {
  const rest = items.length - listed;
  return [
    ...items.slice(0, listed).flatMap((item) => indented(oneLine(item), look)),
    ...(rest > 0 ? [look.paint.dim(`  and ${count(rest, "other")}; --json has them all`)] : []),
  ];
}
