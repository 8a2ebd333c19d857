import { expect, test } from "vitest";
import { findForkCycle } from "./fork-cycle.ts";

const forks = (pairs: [string, string | undefined][]) =>
  new Map(pairs.map(([branchId, parent]) => [branchId, { branchId: parent, thoughtNumber: 2 }]));

test("branches of the main chain and of each other lead somewhere", () => {
  expect(findForkCycle(forks([]))).toBeUndefined();
  expect(
    findForkCycle(
      forks([
        ["c", "b"],
        ["b", "a"],
        ["a", undefined],
        ["d", "b"],
        ["e", "unknown"],
      ]),
    ),
  ).toBeUndefined();
});

test("a circle is found from wherever the search begins", () => {
  const circle: [string, string | undefined][] = [
    ["start", "a"],
    ["a", "b"],
    ["b", "a"],
  ];
  expect(findForkCycle(forks(circle))).toBe("a");
  expect(findForkCycle(forks(circle.reverse()))).toMatch(/^[ab]$/);
  expect(findForkCycle(forks([["own", "own"]]))).toBe("own");
});

test("a long way is followed without a deep stack", () => {
  const long = Array.from({ length: 50_000 }, (_, n): [string, string] => [`b${n}`, `b${n + 1}`]);
  expect(findForkCycle(forks(long))).toBeUndefined();
});
