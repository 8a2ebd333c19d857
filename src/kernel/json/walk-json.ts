import { isWellFormed, quote } from "../text.ts";

/** `${path} ${problem}.` reads as a sentence. */
export type HostileJson = { path: string; problem: string };

export type HostileKind = "depth" | "keys" | "surrogate" | "number" | "nul" | "prototype";
type Step = string | number;
type Finding = { kind: HostileKind; steps: Step[]; problem: string };

/** The maximum number of levels of nested objects and arrays. The value itself is the first level. */
export const maxJsonDepth = 64;
/** The maximum number of keys per object. Checking more would delay other calls. */
export const maxJsonKeys = 10_000;
const prototypeKeys = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Finds the first part of a JSON value that could harm a store, a log or a merge, or returns `undefined`. The returned
 * path starts with `root`, for example `args` in `args.meta.x[3]`.
 */
export function findHostileJson(value: unknown, root = "args"): HostileJson | undefined {
  const finding = findHostile(value);
  return finding && { path: root + finding.steps.map(renderStep).join(""), problem: finding.problem };
}

/** Like `findHostileJson`, but returns the path as steps, and skips the kinds of problems in `ignore`. */
export function findHostile(value: unknown, ignore: readonly HostileKind[] = []): Finding | undefined {
  return checkValue(value, 1, ignore);
}

/** Recursion stops at `maxJsonDepth`. Builds the path only after finding a problem. */
function checkValue(value: unknown, depth: number, ignore: readonly HostileKind[]): Finding | undefined {
  if (typeof value === "string") return checkText(value, ignore);
  if (typeof value === "number")
    return Number.isFinite(value) ? undefined : here("number", "is not a finite number");
  if (typeof value !== "object" || value === null) return undefined;
  if (depth > maxJsonDepth) return here("depth", `is nested deeper than ${maxJsonDepth} levels`);
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const finding = checkValue(value[index], depth + 1, ignore);
      if (finding) return below(index, finding);
    }
    return undefined;
  }
  const keys = Object.keys(value);
  if (keys.length > maxJsonKeys)
    return here("keys", `has more than ${maxJsonKeys.toLocaleString("en")} keys`);
  for (const key of keys) {
    const finding =
      checkKey(key, ignore) ?? checkValue((value as Record<string, unknown>)[key], depth + 1, ignore);
    if (finding) return below(key, finding);
  }
  return undefined;
}

/** SQLite would silently drop the text after a NUL, and PostgreSQL would refuse the whole text. */
function checkText(text: string, ignore: readonly HostileKind[]): Finding | undefined {
  if (!isWellFormed(text)) return here("surrogate", "contains half of a Unicode surrogate pair");
  return text.includes("\0") && !ignore.includes("nul") ? here("nul", "contains a NUL character") : undefined;
}

function checkKey(key: string, ignore: readonly HostileKind[]): Finding | undefined {
  if (prototypeKeys.has(key) && !ignore.includes("prototype"))
    return here("prototype", "is not allowed as a key, because it could change an object's prototype");
  if (!isWellFormed(key)) return here("surrogate", "is a key with half of a Unicode surrogate pair");
  return key.includes("\0") && !ignore.includes("nul")
    ? here("nul", "is a key with a NUL character")
    : undefined;
}

function here(kind: HostileKind, problem: string): Finding {
  return { kind, steps: [], problem };
}

function below(step: Step, finding: Finding): Finding {
  return { ...finding, steps: [step, ...finding.steps] };
}

function renderStep(step: Step): string {
  if (typeof step === "number") return `[${step}]`;
  return /^[A-Za-z_$][\w$]{0,39}$/.test(step) ? `.${step}` : `[${quote(step, 40)}]`;
}

/** True if a JSON value contains more values or characters than `max`. Stops as soon as the limit is exceeded. */
export function isHeavier(value: unknown, max: { values: number; characters: number }): boolean {
  const waiting = [value];
  let values = 1;
  let characters = 0;
  while (waiting.length > 0) {
    const one = waiting.pop();
    if (typeof one === "string") characters += one.length;
    else if (typeof one === "object" && one !== null) {
      const members = Array.isArray(one) ? one : Object.values(one);
      values += members.length;
      if (values > max.values) return true;
      if (!Array.isArray(one)) for (const key of Object.keys(one)) characters += key.length;
      for (const member of members) waiting.push(member);
    }
    if (characters > max.characters) return true;
  }
  return false;
}

export type Changes = {
  /** `key` is the field's name, or `undefined` for a list item. */
  member(value: unknown, key: string | undefined): unknown;
  key(name: string): string;
};

/** Changes the members and field names of a list or object. Returns the same value if nothing changed. */
export function mapMembers(value: unknown, change: Changes): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return mapItems(value, change);
  const fields = value as Record<string, unknown>;
  const names = Object.keys(fields);
  /** Created when the first member changes, because most answers need no copy. */
  let changed: [string, unknown][] | undefined;
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at] ?? "";
    const before = fields[name];
    const shown = change.key(name);
    const after = change.member(before, name);
    if (!changed && (shown !== name || after !== before))
      changed = names.slice(0, at).map((earlier) => [earlier, fields[earlier]]);
    changed?.push([shown, after]);
  }
  return changed ? Object.fromEntries(changed) : value;
}

function mapItems(items: readonly unknown[], change: Changes): readonly unknown[] {
  let changed: unknown[] | undefined;
  for (let at = 0; at < items.length; at += 1) {
    const before = items[at];
    const after = change.member(before, undefined);
    if (after === before) continue;
    changed ??= [...items];
    changed[at] = after;
  }
  return changed ?? items;
}
