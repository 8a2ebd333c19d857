import { expect, test } from "vitest";
import { isHeavier } from "./json-weight.ts";

const max = { values: 5, characters: 10 };

test.each([
  ["a text", "0123456789"],
  ["members and keys", { a: [1, "bcd"], e: null }],
  ["nothing", null],
])("%s within the bounds is not too heavy", (_what, value) => {
  expect(isHeavier(value, max)).toBe(false);
});

test.each([
  ["a text", "0123456789a"],
  ["texts together", ["012345", "678910"]],
  ["a key", { "0123456789a": 1 }],
  ["a list", [1, 2, 3, 4, 5]],
  ["lists in a list", [[], [[]], [[]]]],
])("%s beyond the bounds is too heavy", (_what, value) => {
  expect(isHeavier(value, max)).toBe(true);
});

test("nesting of any depth is looked at without a call for each level", () => {
  const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
  expect(isHeavier(deep, { values: 1_000_000, characters: 0 })).toBe(false);
});
