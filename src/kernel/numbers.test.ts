import { expect, test } from "vitest";
import { count, countUpTo, largest } from "./numbers.ts";

test("finds the largest of half a million values without overflowing the stack", () => {
  expect(largest(Array.from({ length: 500_000 }, (_, index) => index))).toBe(499_999);
});

test("returns the floor if there are no values", () => {
  expect(largest([], 3)).toBe(3);
});

test.each([
  [0, 0],
  [1, 1],
  [2, 1],
  [5, 3],
  [99, 4],
])("of 1, 3, 5 and 8, the number up to %i is %i", (limit, count) => {
  expect(countUpTo([1, 3, 5, 8], limit)).toBe(count);
});

test.each([
  [0, "thought", "0 thoughts"],
  [1, "thought", "1 thought"],
  [1, "branch", "1 branch"],
  [2, "branch", "2 branches"],
  [2, "entry", "2 entries"],
  [2, "key", "2 keys"],
  [12_345, "open step", "12,345 open steps"],
])("writes %i of %s as %s", (number, noun, written) => {
  expect(count(number, noun)).toBe(written);
});
