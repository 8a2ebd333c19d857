import * as z from "zod";
import type { Warning } from "../../../kernel/reply.ts";
import { clip } from "../../../kernel/text.ts";
import type { Fitted, Json } from "./trim.ts";

/** The maximum size of an answer: about 25,000 tokens of compact JSON. */
export const maxAnswerChars = 75_000;
const minChars = 300;
/** The budget of a memory read if the caller sets none. */
export const defaultChars = 16_000;

export type Limits = {
  chars: number;
  /** Default: as many UTF-8 bytes as the characters may need. */
  bytes?: number | undefined;
};

export type AskedBudget = {
  [Field in "max_chars" | "max_bytes" | "max_lines" | "context_budget"]?: number | undefined;
};

const field = (what: string) => z.int().min(0).max(1_000_000_000).describe(what);

/** The fields with which a caller limits an answer. If several are set, the answer respects all of them. */
export const budgetFields = {
  max_chars: field("Maximum length of the answer in characters, at least 300."),
  max_bytes: field("Maximum length of the answer in bytes, at least 300."),
  max_lines: field("Maximum number of lines in a text answer. A JSON answer has one line."),
} as const;

export const fittedFields = {
  truncated: z.boolean().optional(),
  budget: z.strictObject({ max_chars: z.int(), used_chars: z.int(), truncated: z.boolean() }).optional(),
  suggestions: z
    .array(
      z.strictObject({
        operation: z.string(),
        args: z.record(z.string(), z.unknown()),
        reason: z.string(),
        priority: z.enum(["high", "medium", "low"]),
      }),
    )
    .optional(),
  signal: z.literal("minimal").optional(),
};

type Chosen = {
  limits: Limits;
  asked: boolean;
  lines: number;
  warnings: Warning[];
};

export function chooseBudget(asked: AskedBudget, byDefault: number): Chosen {
  const warnings: Warning[] = [];
  const chars = clamp(asked.max_chars, minChars, maxAnswerChars, "", warnings);
  const context = clamp(asked.context_budget, minChars, maxAnswerChars, "", warnings);
  const bytes = clamp(asked.max_bytes, minChars, maxAnswerChars, "", warnings);
  const lines = clamp(asked.max_lines, 1, Number.POSITIVE_INFINITY, " lines", warnings);
  const asksChars = chars !== undefined || context !== undefined;
  return {
    limits: {
      chars: asksChars ? Math.min(chars ?? maxAnswerChars, context ?? maxAnswerChars) : byDefault,
      bytes,
    },
    asked: asksChars || bytes !== undefined,
    lines: lines ?? Number.POSITIVE_INFINITY,
    warnings,
  };
}

function clamp(
  value: number | undefined,
  min: number,
  max: number,
  unit: string,
  warnings: Warning[],
): number | undefined {
  if (value === undefined || (value >= min && value <= max)) return value;
  const within = Math.min(Math.max(value, min), max);
  const low = within === min;
  const message = `A budget of ${value}${unit} was changed to ${within}, the ${low ? "minimum" : "maximum"}.`;
  const code = low ? "BUDGET_MIN_CLAMPED" : "BUDGET_MAX_CLAMPED";
  // One warning is enough, and leaves room for other warnings.
  if (!warnings.some((warning) => warning.code === code)) warnings.push({ code, message });
  return within;
}

export const isWithin = (result: object, limits: Limits): boolean =>
  isTextWithin(JSON.stringify(result), limits);

/** True if a serialised answer is within the limits. `isWithin` serialises the answer itself. */
export function isTextWithin(text: string, { chars, bytes }: Limits): boolean {
  if (text.length > chars) return false;
  return bytes === undefined || text.length * 3 <= bytes || new TextEncoder().encode(text).length <= bytes;
}

/** The length below which text is not shortened while lists can still lose items. */
const shortestCut = 100;
/**
 * An object with more members than this is a map, such as branches by name. An object with fewer members is a
 * record and keeps its fields.
 */
const maxFields = 40;

/**
 * Shortens the longest text fields of an answer, as little as needed. If that is not enough, also truncates
 * the longest lists. Used if an operation has no plan or its plan is not enough. The result is deterministic.
 */
export function cutLongest(answer: Json, limits: Limits): Fitted {
  const whole = JSON.stringify(answer);
  if (isTextWithin(whole, limits))
    return { result: answer, truncated: false, minimal: false, used: whole.length };
  const result = cutToShape(answer, limits) ?? { truncated: true };
  return { result, truncated: true, minimal: false, used: JSON.stringify(result).length };
}

/** Shortens like `cutLongest`, but keeps every field. Returns `undefined` if the result does not fit. */
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

/** Returns the highest number from `low` to `high` that fits, or `low` if none fits. */
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
