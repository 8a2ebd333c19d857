import type { Steps } from "../steps.ts";

const membersAtOnce = 1_000;

/** Whether two JSON values say the same, in any order of keys; a member that is `undefined` is none. */
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
