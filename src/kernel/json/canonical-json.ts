import type { Steps } from "../steps.ts";

/**
 * Returns the canonical text of a JSON value (RFC 8785): keys in UTF-16 order, no whitespace, numbers as ECMAScript
 * prints them. Refuses values that JSON cannot represent, because a hash that silently omits values proves nothing.
 * Unlike the RFC, accepts lone surrogates (written as \u escapes), so that any stored text can be hashed.
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "number":
      return canonicalNumber(value);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? canonicalArray(value) : canonicalObject(value);
    default:
      throw new TypeError(`Canonical JSON cannot contain a value of type ${typeof value}.`);
  }
}

function canonicalNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`Canonical JSON cannot contain the number ${value}.`);
  return JSON.stringify(value);
}

function canonicalArray(items: readonly unknown[]): string {
  let text = "";
  for (const item of items) text += text === "" ? canonicalJson(item) : `,${canonicalJson(item)}`;
  return `[${text}]`;
}

function canonicalObject(value: object): string {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError(
      "Canonical JSON contains plain objects only. Convert dates, maps and similar objects to text first.",
    );
  }
  const record = value as Record<string, unknown>;
  let text = "";
  for (const key of Object.keys(record).sort()) {
    const member = record[key];
    if (member === undefined) continue;
    text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

const membersAtOnce = 1_000;

/** Compares two JSON values. Ignores the order of keys. Treats members that are `undefined` as absent. */
export function* isSameJson(one: unknown, other: unknown): Steps<boolean> {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one)) return Array.isArray(other) && (yield* isSameList(one, other));
  return !Array.isArray(other) && (yield* isSameObject(one as Fields, other as Fields));
}

type Fields = Record<string, unknown>;

function* isSameList(one: readonly unknown[], other: readonly unknown[]): Steps<boolean> {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 1) {
    if (at % membersAtOnce === 0) yield;
    if (one[at] !== other[at] && !(yield* isSameJson(one[at], other[at]))) return false;
  }
  return true;
}

function* isSameObject(one: Fields, other: Fields): Steps<boolean> {
  const keys = keysOf(one);
  if (keys.length !== keysOf(other).length) return false;
  for (const [at, key] of keys.entries()) {
    if (at % membersAtOnce === 0) yield;
    if (!Object.hasOwn(other, key) || !(yield* isSameJson(one[key], other[key]))) return false;
  }
  return true;
}

const keysOf = (fields: Fields): string[] => Object.keys(fields).filter((key) => fields[key] !== undefined);
