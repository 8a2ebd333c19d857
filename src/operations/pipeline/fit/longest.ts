import { clip } from "../../../kernel/text.ts";
import { isTextWithin, isWithin, type Limits } from "./budget.ts";
import type { Fitted, Json } from "./trim.ts";

/** Shorter than this no text gets as long as lists can lose items instead. */
const shortestCut = 100;
/** Objects with more members are maps, such as branches by name; what has fewer is a record and keeps its fields. */
const maxFields = 40;

/**
 * The last rung for every answer, and the only one where an operation declares none: the longest texts lose their
 * ends, as little as is needed; where that is not enough, the longest lists do. Same input, same bytes.
 */
export function cutLongest(answer: Json, limits: Limits): Fitted {
  const whole = JSON.stringify(answer);
  if (isTextWithin(whole, limits))
    return { result: answer, truncated: false, minimal: false, used: whole.length };
  const result = cutToShape(answer, limits) ?? { truncated: true };
  return { result, truncated: true, minimal: false, used: JSON.stringify(result).length };
}

/** The same, with every field that the answer has; `undefined` where that is too much. */
export function cutToShape(answer: Json, limits: Limits): Json | undefined {
  const fits = (tried: Json) => isWithin(tried, limits);
  const marked: Json = { ...answer, truncated: true };
  const cutTexts = (max: number) => cut(marked, max, Number.POSITIVE_INFINITY) as Json;
  const cutLists = (max: number) => cut(marked, shortestCut, max) as Json;
  const { text, list } = sizesOf(answer);
  if (fits(cutTexts(shortestCut)))
    return cutTexts(highestThatFits(shortestCut, text, (max) => fits(cutTexts(max))));
  const shorter = cutLists(highestThatFits(0, list, (max) => fits(cutLists(max))));
  return fits(shorter) ? shorter : undefined;
}

/** The highest number from `low` to `high` that fits; `low` where none does. */
export function highestThatFits(low: number, high: number, fits: (count: number) => boolean): number {
  let [fitting, tooMany] = [low, high];
  while (fitting < tooMany) {
    const middle = Math.ceil((fitting + tooMany) / 2);
    if (fits(middle)) fitting = middle;
    else tooMany = middle - 1;
  }
  return fitting;
}

function cut(value: unknown, maxText: number, maxItems: number): unknown {
  if (typeof value === "string") return value.length > maxText ? `${clip(value, maxText - 1)}…` : value;
  if (Array.isArray(value)) return value.slice(0, maxItems).map((item) => cut(item, maxText, maxItems));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value);
  const kept = members.length > maxFields ? members.slice(0, Math.max(maxItems, 0)) : members;
  return Object.fromEntries(kept.map(([name, member]) => [name, cut(member, maxText, maxItems)]));
}

/** The length of the longest text, and of the longest list or map. */
function sizesOf(value: unknown): { text: number; list: number } {
  if (typeof value === "string") return { text: value.length, list: 0 };
  if (typeof value !== "object" || value === null) return { text: 0, list: 0 };
  const members = Object.values(value);
  const sizes = { text: 0, list: members.length };
  for (const { text, list } of members.map(sizesOf)) {
    sizes.text = Math.max(sizes.text, text);
    sizes.list = Math.max(sizes.list, list);
  }
  return sizes;
}
