import { expect, test } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import { runAtOnce } from "../steps.ts";
import { printJsonInSteps } from "./print-in-steps.ts";

test("prints any JSON as JSON.stringify does", () => {
  const values = fc.jsonValue({ maxDepth: 5 });
  fc.assert(
    fc.property(values, (value) => {
      expect(runAtOnce(printJsonInSteps(value))).toBe(JSON.stringify(value, null, 2));
    }),
  );
});

test("leaves out members without a value, and keeps the order of a long list", () => {
  const value = {
    absent: undefined,
    empty: {},
    none: [],
    gone: { absent: undefined },
    names: Array.from({ length: 10_000 }, (_, n) => `${n}.json`),
  };
  expect(runAtOnce(printJsonInSteps(value))).toBe(JSON.stringify(value, null, 2));
});

test("lets other work run while a long list is printed", () => {
  const steps = printJsonInSteps(Array.from({ length: 100_000 }, (_, n) => n));
  let turns = 0;
  while (!steps.next().done) turns += 1;
  expect(turns).toBeGreaterThan(20);
});
