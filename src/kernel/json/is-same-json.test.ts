import { expect, test } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import { runAtOnce } from "../steps.ts";
import { canonicalJson } from "./canonical-json.ts";
import { isSameJson } from "./is-same-json.ts";

const isSame = (one: unknown, other: unknown): boolean => runAtOnce(isSameJson(one, other));

test("two values are the same where their canonical texts are", () => {
  const values = fc.jsonValue({ maxDepth: 3 });
  fc.assert(
    fc.property(values, values, (one, other) => {
      expect(isSame(one, structuredClone(one))).toBe(true);
      expect(isSame(one, other)).toBe(canonicalJson(one) === canonicalJson(other));
    }),
  );
});

test.each([
  [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
  [{ a: 1, b: undefined }, { a: 1 }, true],
  [{ a: undefined }, { b: undefined }, true],
  [{ a: 1 }, { a: 1, b: 1 }, false],
  [{ toString: 1 }, { valueOf: 1 }, false],
  [["a"], { 0: "a" }, false],
  [["a", "b"], ["b", "a"], false],
  [[], {}, false],
  [null, {}, false],
])("%j and %j", (one, other, same) => {
  expect(isSame(one, other)).toBe(same);
});
