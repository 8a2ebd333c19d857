import { describe, expect, test } from "vitest";
import { ThoughtboxError } from "../../../kernel/errors.ts";
import type { Address } from "../thought.ts";
import { addressKey, type ChainFacts, placeThought, type ThoughtDraft } from "./append.ts";

type Branch = { fork: Address; numbers: number[] };

/** Returns the facts of a session from the numbers of its main chain and its branches with their forks. */
function factsOf(main: number[], branches: Record<string, Branch> = {}): ChainFacts {
  const chains: [string | undefined, number[]][] = [
    [undefined, main],
    ...Object.entries(branches).map(([name, { numbers }]): [string, number[]] => [name, numbers]),
  ];
  const highest = (numbers: number[]) => Math.max(0, ...numbers);
  return {
    highest: highest(main),
    branches: new Map(
      Object.entries(branches).map(([name, { fork, numbers }]) => [
        name,
        { fork, highest: highest(numbers) },
      ]),
    ),
    there: new Set(
      chains.flatMap(([branchId, numbers]) =>
        numbers.map((thoughtNumber) => addressKey({ branchId, thoughtNumber })),
      ),
    ),
    branchIds: Object.keys(branches),
  };
}

const draft = (more: Partial<ThoughtDraft> = {}): ThoughtDraft => ({
  sessionId: "s",
  thought: "x",
  nextThoughtNeeded: true,
  ...more,
});

function place(more: Partial<ThoughtDraft>, facts: ChainFacts) {
  const placed = placeThought(draft(more), facts);
  if ("needs" in placed) throw new Error("it has all the facts there are");
  return placed;
}

function refusal(more: Partial<ThoughtDraft>, facts: ChainFacts): ThoughtboxError {
  try {
    place(more, facts);
  } catch (thrown) {
    if (thrown instanceof ThoughtboxError) return thrown;
  }
  throw new Error("it was not refused");
}

/**
 * Main 1–3. Branch `a` forks from main 2 and has 3 and 4. `b` forks from a:4 and has 5. `c` forks from b:5 and has 1
 * and 6.
 */
const nested = factsOf([1, 2, 3], {
  a: { fork: { thoughtNumber: 2 }, numbers: [3, 4] },
  b: { fork: { branchId: "a", thoughtNumber: 4 }, numbers: [5] },
  c: { fork: { branchId: "b", thoughtNumber: 5 }, numbers: [1, 6] },
});

describe("numbers", () => {
  test.each([
    [[], 1],
    [[1, 2, 3], 4],
    [[5, 4, 3], 6],
    [[1, 40], 41],
  ])("after %o, the next number is %i", (main, thoughtNumber) => {
    expect(place({}, factsOf(main))).toEqual({ thoughtNumber, totalThoughts: thoughtNumber });
  });

  test("a branch has separate numbers", () => {
    expect(place({ branchId: "a" }, nested)).toEqual({ thoughtNumber: 5, totalThoughts: 5, branchId: "a" });
    expect(place({ branchId: "c" }, nested)).toMatchObject({ thoughtNumber: 7 });
  });

  test.each([2, 4, 1_000_000])("any free number is accepted: %i", (thoughtNumber) => {
    expect(place({ thoughtNumber }, factsOf([1, 3, 5]))).toMatchObject({ thoughtNumber });
  });

  test("a number that another chain uses is free", () => {
    expect(place({ branchId: "a", thoughtNumber: 1 }, nested)).toMatchObject({ thoughtNumber: 1 });
    expect(place({ thoughtNumber: 4 }, nested)).toMatchObject({ thoughtNumber: 4 });
  });

  test("a number that is taken is refused with the next free one in its chain", () => {
    expect(refusal({ thoughtNumber: 2 }, nested)).toMatchObject({
      code: "INVALID_PAYLOAD",
      reason: "thought_taken",
      facts: { next: 4 },
    });
    expect(refusal({ branchId: "b", thoughtNumber: 5 }, nested).facts).toMatchObject({ next: 6 });
  });

  test("numbers end at one million", () => {
    const full = factsOf([1_000_000]);
    expect(refusal({}, full).reason).toBe("chain_full");
    expect(refusal({ thoughtNumber: 1_000_000 }, full).reason).toBe("chain_full");
    expect(place({ thoughtNumber: 999_999 }, full)).toMatchObject({ thoughtNumber: 999_999 });
    expect(refusal({ branchFromThought: 1_000_000 }, full).reason).toBe("chain_full");
  });

  test.each([
    [{}, 4],
    [{ totalThoughts: 3 }, 4],
    [{ totalThoughts: 12 }, 12],
    [{ totalThoughts: 3, thoughtNumber: 9 }, 9],
  ])("for %o, the total is %i", (more, totalThoughts) => {
    expect(place(more, factsOf([1, 2, 3]))).toMatchObject({ totalThoughts });
  });
});

describe("branches", () => {
  test("a fork continues from its thought and remembers it", () => {
    expect(place({ branchFromThought: 2, branchId: "new" }, nested)).toEqual({
      thoughtNumber: 3,
      totalThoughts: 3,
      branchId: "new",
      fork: { branchId: undefined, thoughtNumber: 2 },
    });
    const inBranch = { branchFromThought: 4, branchFromBranch: "a", branchId: "new" };
    expect(place(inBranch, nested)).toMatchObject({
      thoughtNumber: 5,
      fork: { branchId: "a", thoughtNumber: 4 },
    });
  });

  test("the first thought of a branch may have any number", () => {
    const asked = { branchFromThought: 2, branchId: "new", thoughtNumber: 1 };
    expect(place(asked, nested)).toMatchObject({ thoughtNumber: 1 });
  });

  test("a fork without a name gets the first free name", () => {
    const fork = { thoughtNumber: 1 };
    const taken = factsOf([1], { "branch-1": { fork, numbers: [2] }, "branch-3": { fork, numbers: [2] } });
    expect(place({ branchFromThought: 1 }, taken)).toMatchObject({ branchId: "branch-2" });
  });

  test("naming the fork again continues the branch", () => {
    expect(place({ branchFromThought: 2, branchId: "a" }, nested)).toEqual({
      thoughtNumber: 5,
      totalThoughts: 5,
      branchId: "a",
    });
  });

  test("a branch cannot fork from two places, and the error suggests another valid name", () => {
    expect(refusal({ branchFromThought: 1, branchId: "a" }, nested).facts).toMatchObject({ free: "a-1" });
    const long = "x".repeat(64);
    const facts = factsOf([1, 2], { [long]: { fork: { thoughtNumber: 1 }, numbers: [2] } });
    const free = String(refusal({ branchFromThought: 2, branchId: long }, facts).facts?.["free"]);
    expect(free).toMatch(/^x{56}-1$/);
    expect(place({ branchFromThought: 2, branchId: free }, facts)).toMatchObject({ thoughtNumber: 3 });
  });

  test.each([
    ["a missing thought", { branchFromThought: 9, branchId: "new" }],
    ["a missing thought, under a known name", { branchFromThought: 9, branchId: "a" }],
    [
      "a number of the main chain, in a branch",
      { branchFromThought: 3, branchFromBranch: "b", branchId: "new" },
    ],
    ["an unknown branch", { branchFromThought: 1, branchFromBranch: "z", branchId: "new" }],
  ])("a fork from %s is THOUGHT_NOT_FOUND", (_what, more) => {
    expect(refusal(more, nested)).toMatchObject({
      code: "THOUGHT_NOT_FOUND",
      reason: "thought_missing",
    });
  });

  test("an unknown branch needs a fork, and the error suggests the last main thought if there is one", () => {
    const { reason, facts } = refusal({ branchId: "new" }, nested);
    expect({ reason, facts }).toMatchObject({ reason: "branch_without_fork", facts: { tip: 3 } });
    expect(place({ branchId: "new", branchFromThought: 3 }, nested)).toMatchObject({ thoughtNumber: 4 });
    expect(refusal({ branchId: "new" }, factsOf([])).facts).toMatchObject({ tip: 0 });
  });

  test("branchFromBranch without branchFromThought is refused", () => {
    expect(refusal({ branchFromBranch: "a" }, nested).code).toBe("INVALID_PAYLOAD");
  });
});

describe("revisions", () => {
  test.each([
    ["main", { revisesThought: 2 }, { thoughtNumber: 2 }],
    ["a branch's own thought", { branchId: "a", revisesThought: 3 }, { branchId: "a", thoughtNumber: 3 }],
    ["the trunk before the fork", { branchId: "a", revisesThought: 1 }, { thoughtNumber: 1 }],
    ["the parent branch", { branchId: "b", revisesThought: 3 }, { branchId: "a", thoughtNumber: 3 }],
    ["the trunk through two branches", { branchId: "b", revisesThought: 2 }, { thoughtNumber: 2 }],
    [
      "a number that shadows the trunk",
      { branchId: "c", revisesThought: 1 },
      { branchId: "c", thoughtNumber: 1 },
    ],
    ["the great-grandparent", { branchId: "c", revisesThought: 2 }, { thoughtNumber: 2 }],
    [
      "the thought it forks from",
      { branchFromThought: 3, branchId: "new", revisesThought: 3 },
      { thoughtNumber: 3 },
    ],
    [
      "its parent, by the first thought of a nested branch",
      { branchFromThought: 4, branchFromBranch: "a", branchId: "new", revisesThought: 3 },
      { branchId: "a", thoughtNumber: 3 },
    ],
  ])("can refer to %s", (_what, more, revises) => {
    expect(place(more, nested).revises).toEqual(revises);
  });

  test.each([
    ["a missing thought", { revisesThought: 9 }],
    ["the trunk after the fork", { branchFromThought: 1, branchId: "new", revisesThought: 3 }],
    ["a branch, from the trunk", { revisesThought: 4 }],
    ["a child branch, from its parent", { branchId: "a", revisesThought: 5 }],
    ["a missing thought, which is checked before a taken number", { revisesThought: 9, thoughtNumber: 1 }],
  ])("cannot refer to %s", (_what, more) => {
    expect(refusal(more, nested).code).toBe("THOUGHT_NOT_FOUND");
  });
});

test("the names of all branches are requested only if a name must be found or suggested", () => {
  const { branchIds: _unknown, ...facts } = nested;
  const needs = { needs: "branchIds" };
  expect(placeThought(draft({ branchFromThought: 1 }), facts)).toEqual(needs);
  expect(placeThought(draft({ branchId: "new" }), facts)).toEqual(needs);
  expect(placeThought(draft({ branchFromThought: 1, branchId: "a" }), facts)).toEqual(needs);
  expect(placeThought(draft({ branchFromThought: 1, branchId: "new" }), facts)).not.toEqual(needs);
  expect(placeThought(draft({ branchId: "a" }), facts)).not.toEqual(needs);
});

test("a branch can be called constructor", () => {
  expect(
    place({ branchFromThought: 1, branchId: "constructor" }, factsOf([1], Object.create(null))),
  ).toMatchObject({
    branchId: "constructor",
    thoughtNumber: 2,
  });
});
