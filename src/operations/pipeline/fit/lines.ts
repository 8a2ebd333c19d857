import { clip } from "../../../kernel/text.ts";
import { isWithin, type Limits } from "./budget.ts";
import { highestThatFits } from "./longest.ts";
import type { Fitted, Json } from "./trim.ts";

/** A page of text within a budget: as many of its lines as fit, whole lines where one fits at all. */
export function cutLines(page: Json, key: string, limits: Limits, maxLines: number): Fitted {
  const text = String(page[key]);
  const lines = text.trimEnd().split("\n");
  const fits = (shown: string): boolean => isWithin({ ...page, [key]: shown, truncated: false }, limits);
  const truncated = lines.length > maxLines || !fits(text);
  const shown = truncated ? keepLines(lines, maxLines, fits) : text;
  const result = { ...page, [key]: shown, truncated };
  return { result, truncated, minimal: false, used: JSON.stringify(result).length };
}

function keepLines(lines: readonly string[], max: number, fits: (text: string) => boolean): string {
  const keep = (count: number): string => lines.slice(0, count).join("\n").trimEnd();
  const kept = highestThatFits(0, Math.min(lines.length, max), (count) => fits(keep(count)));
  if (kept > 0) return keep(kept);
  const [first = ""] = lines;
  return clip(
    first,
    highestThatFits(0, first.length, (length) => fits(clip(first, length))),
  );
}
