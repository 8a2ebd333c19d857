import { expect, test } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import { findHostile, findHostileJson, isHeavier } from "./walk-json.ts";

function nested(depth: number): unknown {
  let value: unknown = "core";
  for (let level = 0; level < depth; level++) value = { in: value };
  return value;
}

test("finds no problem in ordinary JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "grapheme", maxDepth: 8 }), (value) => {
      fc.pre(!/"(?:__proto__|constructor|prototype)":/.test(JSON.stringify(value)));
      expect(findHostileJson({ wrapped: [value] })).toBeUndefined();
    }),
  );
});

test("accepts 64 levels, refuses 65, and does not overflow at a million", () => {
  expect(findHostileJson(nested(64))).toBeUndefined();
  expect(findHostileJson(nested(65))).toEqual({
    path: `args${".in".repeat(64)}`,
    problem: "is nested deeper than 64 levels",
  });
  expect(findHostileJson(nested(1_000_000))?.problem).toMatch(/deeper/);
});

test("names the exact path of a problem", () => {
  const value = { meta: { x: ["fine", "fine", "fine", "\ud800"] } };
  expect(findHostileJson(value)?.path).toBe("args.meta.x[3]");
  expect(findHostileJson(value, "card")?.path).toBe("card.meta.x[3]");
  expect(findHostileJson(Number.NaN)).toEqual({ path: "args", problem: "is not a finite number" });
});

test("keeps a path through unusual keys short and readable", () => {
  expect(findHostileJson({ "a b": { 'c"\u202e': [Infinity] } })?.path).toBe(
    'args["a b"]["c\\"\\u{202e}"][0]',
  );
  expect(findHostileJson({ ["k".repeat(1_000_000)]: Infinity })?.path.length).toBeLessThan(60);
});

test.each([
  ['{"__proto__":{"admin":true}}', "args.__proto__"],
  ['{"a":[{"constructor":1}]}', "args.a[0].constructor"],
  ['{"prototype":null}', "args.prototype"],
])("refuses %s", (text, path) => {
  expect(findHostileJson(JSON.parse(text))).toMatchObject({
    path,
    problem: expect.stringContaining("prototype"),
  });
});

test("finds a NUL in texts and in keys", () => {
  expect(findHostileJson({ a: ["x\0y"] })).toEqual({
    path: "args.a[0]",
    problem: "contains a NUL character",
  });
  expect(findHostileJson({ "a\0": 1 })?.problem).toBe("is a key with a NUL character");
  expect(findHostile({ a: "\0", constructor: 1 }, ["nul", "prototype"])).toBeUndefined();
});

test("does not treat inherited members as keys", () => {
  expect(findHostileJson({})).toBeUndefined();
  expect(findHostileJson({ name: "constructor" })).toBeUndefined();
});

test("escapes half a surrogate pair in the name of a key", () => {
  expect(findHostileJson({ "\udc00": 1 })).toEqual({
    path: 'args["\\u{dc00}"]',
    problem: "is a key with half of a Unicode surrogate pair",
  });
});

test("accepts at most 10,000 keys in an object", () => {
  const keys = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, key) => [`k${key}`, 1]));
  expect(findHostileJson({ meta: keys(10_000) })).toBeUndefined();
  expect(findHostileJson({ meta: keys(10_001) })).toEqual({
    path: "args.meta",
    problem: "has more than 10,000 keys",
  });
});

const max = { values: 5, characters: 10 };

test.each([
  ["a text", "0123456789"],
  ["members and keys", { a: [1, "bcd"], e: null }],
  ["nothing", null],
])("accepts %s within the limits", (_what, value) => {
  expect(isHeavier(value, max)).toBe(false);
});

test.each([
  ["a text", "0123456789a"],
  ["texts together", ["012345", "678910"]],
  ["a key", { "0123456789a": 1 }],
  ["a list", [1, 2, 3, 4, 5]],
  ["lists in a list", [[], [[]], [[]]]],
])("refuses %s beyond the limits", (_what, value) => {
  expect(isHeavier(value, max)).toBe(true);
});

test("walks nesting of any depth without recursion", () => {
  const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
  expect(isHeavier(deep, { values: 1_000_000, characters: 0 })).toBe(false);
});
