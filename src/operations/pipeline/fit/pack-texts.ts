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

export type Measure = {
  /**
   * The length of the answer as JSON if its texts are truncated to `max` characters, and how many texts are truncated.
   */
  lengthOf(answer: Json, max: number): Measured;
  /** The length of the longest text that may be truncated. */
  longestIn(answer: Json): number;
};

/**
 * Measures many versions of an answer with the same items. Each item is serialised once, and again only if it has a
 * text to truncate. An answer is a record of blocks, and a block may be a record of lists.
 */
export function createMeasure(): Measure {
  const known = new Map<unknown, { length: number; longest: number }>();
  const names = new Map<string, number>();
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

  function nameLength(name: string): number {
    const found = names.get(name);
    if (found !== undefined) return found;
    const { length } = JSON.stringify(name);
    names.set(name, length);
    return length;
  }

  /** Measures a record, including its braces and the commas between its members. */
  function record(fields: Json, max: number, depth: number): Measured {
    const sum = { length: 1, count: 0 };
    for (const name of Object.keys(fields)) {
      const value = fields[name];
      if (value === undefined) continue;
      const { length, count } = part(value, isVerbatim(name) ? Number.POSITIVE_INFINITY : max, depth);
      sum.length += nameLength(name) + 2 + length;
      sum.count += count;
    }
    sum.length = Math.max(2, sum.length);
    return sum;
  }

  function list(items: readonly unknown[], max: number): Measured {
    const sum = { length: 1, count: 0 };
    for (const one of items) {
      const { length, longest } = wholeItem(one);
      if (longest <= max) sum.length += length + 1;
      else {
        const shorter = item(one, max);
        sum.length += shorter.length + 1;
        sum.count += shorter.count;
      }
    }
    sum.length = Math.max(2, sum.length);
    return sum;
  }

  function part(value: unknown, max: number, depth: number): Measured {
    if (typeof value !== "object" || value === null) return item(value, max);
    if (Array.isArray(value)) return list(value, max);
    return depth === 0 ? item(value, max) : record(value as Json, max, depth - 1);
  }

  function longestOf(value: unknown, depth: number): number {
    let longest = 0;
    if (Array.isArray(value)) for (const one of value) longest = Math.max(longest, wholeItem(one).longest);
    else if (depth === 0 || typeof value !== "object" || value === null) return wholeItem(value).longest;
    else
      for (const name of Object.keys(value))
        if (!isVerbatim(name)) longest = Math.max(longest, longestOf((value as Json)[name], depth - 1));
    return longest;
  }

  return {
    lengthOf(answer, max) {
      if (max !== cutAt) {
        cutAt = max;
        cut = new Map();
      }
      return record(answer, max, 1);
    },
    longestIn: (answer) => longestOf(answer, 2),
  };
}
