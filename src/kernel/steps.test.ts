import { expect, test } from "vitest";
import fc from "../../tests/support/fast-check.ts";
import { runAtOnce, sortInSteps } from "./steps.ts";

test("sorts like a stable sort, for any number of items", () => {
  const sizes = fc.constantFrom(0, 1, 2_047, 2_048, 2_049, 4_097, 9_000);
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 10_000 }), (count, range) => {
      const items = Array.from({ length: count }, (_, index) => ({ index, rank: (index * 7_919) % range }));
      const compare = (one: { rank: number }, other: { rank: number }) => one.rank - other.rank;
      expect(runAtOnce(sortInSteps(items, compare))).toEqual([...items].sort(compare));
    }),
    { numRuns: 30 },
  );
});
