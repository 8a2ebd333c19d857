import type * as z from "zod";
import { ThoughtboxError } from "../../../kernel/errors.ts";
import { findHostileJson } from "../../../kernel/json/walk-json.ts";
import { nearest } from "../../../kernel/nearest.ts";
import { maxCount } from "../../../kernel/numbers.ts";
import type { Warning } from "../../../kernel/reply.ts";
import { quote } from "../../../kernel/text.ts";
import type { Args, Operation } from "../operation.ts";
import { type Hint, hintAt, maxHints } from "./hints.ts";

/** zod would add `async` to a copy of this object, which takes longer than most parses. */
const reporting = { reportInput: true, async: false };

/** Checks shapes, bounds and unknown names. The operation checks how fields combine. */
export function validate(operation: Operation, args: Args): { input: Args; warnings: Warning[] } {
  // Coerce first: a list written as JSON text could hide hostile values from the guard.
  const given = coerce(operation.input, args) as Args;
  const hostile = findHostileJson(given);
  if (hostile) throw refuse(operation, [`${hostile.path} ${hostile.problem}.`]);
  const parsed = operation.input.safeParse(given, reporting);
  if (parsed.success) return { input: parsed.data, warnings: tellClamped(operation, given, parsed.data) };
  const issues = parsed.error.issues.filter(isOurs).slice(0, maxHints);
  throw refuse(
    operation,
    issues.flatMap((issue) => explain(operation, issue)),
    issues.flatMap((issue) => hintAt(operation, renderPath(issue.path), issue)),
  );
}

/** Warns of clamped numbers. Parsing 0 and the largest number returns the bounds of a field. */
function tellClamped({ input: { shape } }: Operation, given: Args, taken: Args): Warning[] {
  const clamped = Object.keys(given).filter(
    (name) => typeof given[name] === "number" && taken[name] !== given[name],
  );
  return clamped.flatMap((name) => {
    const field = shape[name] as z.ZodType | undefined;
    if (!field) return [];
    const [min, max] = [0, maxCount].map((end) => field.parse(end));
    const message = `A limit of ${given[name]} was changed to ${taken[name]}. The limit must be from ${min} to ${max}.`;
    return [{ code: "LIMIT_CLAMPED", message }];
  });
}

/** False for zod's own bound for integers, because each of our integers has narrower bounds. */
const isOurs = (issue: z.core.$ZodIssue): boolean =>
  !(issue.code === "too_big" && issue.maximum === Number.MAX_SAFE_INTEGER) &&
  !(issue.code === "too_small" && issue.minimum === Number.MIN_SAFE_INTEGER);

/** Creates a refusal. Its message is for models, its hints for programs. The reply adds the call to make. */
function refuse({ name }: Operation, problems: string[], hints: Hint[] = []): ThoughtboxError {
  const message = `${name}: ${problems.slice(0, maxHints).join(" ")}`;
  return new ThoughtboxError("INVALID_PAYLOAD", message, {
    ...(hints.length > 0 && { details: { hints: hints.slice(0, maxHints) } }),
  });
}

function explain(operation: Operation, issue: z.core.$ZodIssue): string[] {
  const path = renderPath(issue.path);
  if (issue.code === "unrecognized_keys") {
    const known = issue.path.length === 0 ? Object.keys(operation.input.shape) : [];
    return issue.keys.slice(0, maxHints).map((key) => unknownField(path, key, known));
  }
  const subject = path === "" ? "The arguments" : path;
  const problem = `${subject} ${requirement(issue)}${received(issue)}.`;
  return [isMissing(issue) ? `${problem}${whatItIs(operation, issue.path)}` : problem];
}

const isMissing = (issue: z.core.$ZodIssue): boolean =>
  issue.code === "invalid_type" && issue.input === undefined;

function whatItIs({ input }: Operation, path: readonly PropertyKey[]): string {
  const field = path.length === 1 ? (input.shape[String(path[0])] as z.ZodType | undefined) : undefined;
  return field?.description === undefined ? "" : ` ${field.description}`;
}

function unknownField(path: string, key: string, known: string[]): string {
  const guess = nearest(key, known);
  const place = path === "" ? "" : ` in ${path}`;
  return `There is no field ${quote(key, 60)}${place}.${guess ? ` Did you mean ${guess}?` : ""}`;
}

function requirement(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is required" : `must be ${article(issue.expected)}`;
    case "too_small":
      return bound("at least", issue.origin, Number(issue.minimum));
    case "too_big":
      return bound("at most", issue.origin, Number(issue.maximum));
    case "invalid_value":
      return `must be one of ${issue.values.map(String).join(", ")}`;
    case "invalid_format":
      return `must be ${issue.message}`;
    default:
      return issue.message;
  }
}

function bound(direction: string, origin: string, size: number): string {
  if (origin === "string")
    return size === 1 && direction === "at least"
      ? "must not be empty"
      : `must have ${direction} ${size} characters`;
  if (origin === "array") return `must have ${direction} ${size} ${size === 1 ? "entry" : "entries"}`;
  return `must be ${direction} ${size}`;
}

function article(expected: string): string {
  if (expected === "int") return "a whole number";
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`;
}

function received({ input }: z.core.$ZodIssue): string {
  if (input === undefined || input === "" || typeof input === "object") return "";
  if (typeof input === "string")
    return input.length > 200 ? ` (it has ${input.length} characters)` : `, not ${quote(input)}`;
  return `, not ${String(input)}`;
}

function renderPath(path: readonly PropertyKey[]): string {
  return path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`))
    .join("")
    .replace(/^\./, "");
}

/**
 * Models write "3" for 3, "true" for true, one string for a list of one, and lists as JSON text. Converts only what the
 * schema expects and leaves the rest to validation.
 */
function coerce(schema: z.core.$ZodType, value: unknown): unknown {
  const { def } = unwrap(schema)._zod;
  switch (def.type) {
    case "number":
      return typeof value === "string" && /^-?\d{1,16}(\.\d{1,16})?$/.test(value) ? Number(value) : value;
    case "boolean":
      return value === "true" ? true : value === "false" ? false : value;
    case "array":
      return coerceArray(def as z.core.$ZodArrayDef, value);
    case "record":
      return typeof value === "string" ? (parseJson(value, "{") ?? value) : value;
    case "object":
      return coerceObject(def as z.core.$ZodObjectDef, value);
    default:
      return value;
  }
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = schema._zod;
  const wraps = def.type === "optional" || def.type === "default" || def.type === "nullable";
  return wraps ? unwrap((def as z.core.$ZodOptionalDef).innerType) : schema;
}

function coerceArray(def: z.core.$ZodArrayDef, value: unknown): unknown {
  const list = typeof value === "string" ? (parseJson(value, "[") ?? [value]) : value;
  if (!Array.isArray(list)) return list;
  // One item more than allowed is enough for a refusal. Further items would only add more problems.
  const max = maxEntries(def);
  const looked = list.length > max ? list.slice(0, max + 1) : list;
  return looked.map((item) => coerce(def.element, item));
}

function maxEntries({ checks = [] }: z.core.$ZodArrayDef): number {
  const sizes = checks.map(({ _zod: { def } }) => {
    if (def.check === "max_length") return (def as z.core.$ZodCheckMaxLengthDef).maximum;
    if (def.check === "length_equals") return (def as z.core.$ZodCheckLengthEqualsDef).length;
    return Number.POSITIVE_INFINITY;
  });
  return Math.min(Number.POSITIVE_INFINITY, ...sizes);
}

function coerceObject(def: z.core.$ZodObjectDef, value: unknown): unknown {
  const given = typeof value === "string" ? (parseJson(value, "{") ?? value) : value;
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
  const coerced: [string, unknown][] = [];
  for (const key of Object.keys(given)) {
    const member = (given as Record<string, unknown>)[key];
    if (member === null) continue;
    const field = Object.hasOwn(def.shape, key) ? def.shape[key] : undefined;
    coerced.push([key, field ? coerce(field, member) : member]);
  }
  // A key called __proto__ must stay a key, because the guard looks for it.
  return Object.fromEntries(coerced);
}

export function parseJson(text: string, opening: "[" | "{"): unknown {
  if (!text.trimStart().startsWith(opening)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the value as JSON, or unchanged if it is nested too deeply. Validation then refuses it. */
export function toJsonText(value: unknown): unknown {
  try {
    return JSON.stringify(value);
  } catch {
    return value;
  }
}
