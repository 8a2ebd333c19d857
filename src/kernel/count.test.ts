import { expect, test } from "vitest";
import { count } from "./count.ts";

test.each([
  [0, "thought", "0 thoughts"],
  [1, "thought", "1 thought"],
  [1, "branch", "1 branch"],
  [2, "branch", "2 branches"],
  [2, "entry", "2 entries"],
  [2, "key", "2 keys"],
  [12_345, "open step", "12,345 open steps"],
])("%i of %s are told as %s", (number, noun, told) => {
  expect(count(number, noun)).toBe(told);
});
