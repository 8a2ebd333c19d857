import { type Changes, mapMembers } from "../../../kernel/json/walk-json.ts";
import { clip } from "../../../kernel/text.ts";
import { isVerbatim, type Json } from "./trim.ts";

export function longestText(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let longest = 0;
  if (Array.isArray(value)) for (const item of value) longest = Math.max(longest, longestText(item));
  else
    for (const name of Object.keys(value))
      if (!isVerbatim(name)) longest = Math.max(longest, longestText((value as Json)[name]));
  return longest;
}

export function clipTexts<Value>(whole: Value, max: number): { value: Value; count: number } {
  let count = 0;
  const cuts: Changes = {
    key: (name) => name,
    member(value, name) {
      if (name !== undefined && isVerbatim(name)) return value;
      if (typeof value !== "string") return mapMembers(value, cuts);
      if (value.length <= max) return value;
      count += 1;
      return `${clip(value, max - 1)}…`;
    },
  };
  return { value: (Number.isFinite(max) ? cuts.member(whole, undefined) : whole) as Value, count };
}

/** `JSON.stringify` writes `undefined` in a list as `null`. */
const jsonOf = (value: unknown): string => JSON.stringify(value) ?? "null";

type Measured = { length: number; count: number };

/**
 * Measures many versions of an answer with the same items. Each item is serialised once, and again only if it has a text
 * to cut. An answer is a record of blocks, and a block may be a record of lists.
 */
export function createMeasure(): (answer: Json, max: number) => Measured {
  const known = new Map<unknown, { length: number; longest: number }>();
  let cutAt = Number.POSITIVE_INFINITY;
  let cut = new Map<unknown, Measured>();

  function wholeItem(value: unknown) {
    const found = known.get(value);
    if (found) return found;
    const measured = { length: jsonOf(value).length, longest: longestText(value) };
    known.set(value, measured);
    return measured;
  }

  function item(value: unknown, max: number): Measured {
    const { length, longest } = wholeItem(value);
    if (longest <= max) return { length, count: 0 };
    const found = cut.get(value);
    if (found) return found;
    const clipped = clipTexts(value, max);
    const measured = { length: jsonOf(clipped.value).length, count: clipped.count };
    cut.set(value, measured);
    return measured;
  }

  /** Braces or brackets, and a comma between members. */
  function record(fields: Json, max: number, depth: number): Measured {
    const sum = { length: 1, count: 0 };
    for (const name of Object.keys(fields)) {
      const value = fields[name];
      if (value === undefined) continue;
      const { length, count } = part(value, isVerbatim(name) ? Number.POSITIVE_INFINITY : max, depth);
      sum.length += JSON.stringify(name).length + 2 + length;
      sum.count += count;
    }
    return { length: Math.max(2, sum.length), count: sum.count };
  }

  function list(items: readonly unknown[], max: number): Measured {
    const sum = { length: 1, count: 0 };
    for (const one of items) {
      const { length, count } = item(one, max);
      sum.length += length + 1;
      sum.count += count;
    }
    return { length: Math.max(2, sum.length), count: sum.count };
  }

  function part(value: unknown, max: number, depth: number): Measured {
    if (typeof value !== "object" || value === null) return item(value, max);
    if (Array.isArray(value)) return list(value, max);
    return depth === 0 ? item(value, max) : record(value as Json, max, depth - 1);
  }

  return (answer, max) => {
    if (max !== cutAt) [cutAt, cut] = [max, new Map()];
    return record(answer, max, 1);
  };
}
