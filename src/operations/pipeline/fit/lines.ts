import { clip } from "../../../kernel/text.ts";
import { isWithin, type Limits } from "./budget.ts";
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
  let [low, high] = [0, Math.min(lines.length, max)];
  const keep = (count: number): string => lines.slice(0, count).join("\n").trimEnd();
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(keep(middle))) low = middle;
    else high = middle - 1;
  }
  if (low > 0) return keep(low);
  let [first = ""] = lines;
  while (first !== "" && !fits(first)) first = clip(first, first.length - 1);
  return first;
}
