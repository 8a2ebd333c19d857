import { describe, expect, test } from "vitest";
import {
  describeNode,
  describeStructure,
  findForkCycle,
  structureNodeSchema,
  structureSchema,
} from "./structure.ts";
import { createThoughtIndex, type ThoughtLink } from "./thought-index.ts";

function indexOf(links: Omit<ThoughtLink, "position">[]) {
  const index = createThoughtIndex("s");
  links.forEach((link, at) => void index.add({ ...link, position: at + 1 }));
  return index;
}

const main = (thoughtNumber: number) => ({ address: { thoughtNumber } });

test("an empty session has neither head nor tail", () => {
  expect(describeStructure(indexOf([]))).toEqual({
    totalThoughts: 0,
    mainChain: { length: 0, head: null, tail: null },
    branches: {},
    branchCount: 0,
    revisions: [],
    revisionCount: 0,
  });
});

test("the main chain runs from its lowest to its highest number even if it counts backward", () => {
  expect(describeStructure(indexOf([main(5), main(4), main(3)])).mainChain).toEqual({
    length: 3,
    head: 3,
    tail: 5,
  });
});

test("a nested branch names the branch that it forks from", () => {
  const structure = describeStructure(
    indexOf([
      main(1),
      { address: { branchId: "a", thoughtNumber: 2 }, fork: { thoughtNumber: 1 } },
      { address: { branchId: "a", thoughtNumber: 7 } },
      { address: { branchId: "b", thoughtNumber: 8 }, fork: { branchId: "a", thoughtNumber: 7 } },
    ]),
  );
  expect(structure).toMatchObject({ totalThoughts: 4, branchCount: 2 });
  expect(structure.branches).toEqual({
    a: { forks: 1, range: [2, 7], length: 2 },
    b: { forks: 7, fromBranch: "a", range: [8, 8], length: 1 },
  });
});

test("lists revisions in the order they were recorded", () => {
  const { revisions } = describeStructure(
    indexOf([
      main(1),
      main(2),
      { ...main(3), revises: { thoughtNumber: 2 } },
      { ...main(4), revises: { thoughtNumber: 1 } },
      { ...main(5), revises: { thoughtNumber: 2 } },
    ]),
  );
  expect(revisions.map(({ thought, revises }) => [thought.thoughtNumber, revises.thoughtNumber])).toEqual([
    [3, 2],
    [4, 1],
    [5, 2],
  ]);
});

describe("a session with more than fits in one list", () => {
  const links = [main(1)].concat(
    Array.from({ length: 250 }, (_, n) => [
      { address: { branchId: `b-${n}`, thoughtNumber: 2 }, fork: { thoughtNumber: 1 } },
      { address: { thoughtNumber: n + 2 }, revises: { thoughtNumber: 1 } },
    ]).flat() as ReturnType<typeof main>[],
  );
  const structure = describeStructure(indexOf(links));

  test("has full counts and lists the newest entries", () => {
    expect(structure).toMatchObject({ branchCount: 250, revisionCount: 250, truncated: true });
    expect(Object.keys(structure.branches).length).toBe(200);
    expect(structure.branches).toHaveProperty("b-249");
    expect(structure.revisions.length).toBe(200);
    expect(structure.revisions.at(-1)?.thought).toEqual({ thoughtNumber: 251 });
  });

  test("can be listed completely in parts, in the order of recording", () => {
    const index = indexOf(links);
    const parts = [0, 100, 200].map((offset) =>
      describeStructure(index, 200, { part: { offset, limit: 100 } }),
    );
    expect(parts.flatMap(({ branches }) => Object.keys(branches))).toEqual(
      index.branches().map(({ branchId }) => branchId),
    );
    expect(parts.map(({ revisions }) => revisions.length)).toEqual([100, 100, 50]);
  });

  test("matches the schema", () => {
    expect(structureSchema.parse(structure)).toEqual(structure);
  });
});

test("a node names its neighbours and leaves out empty fields", () => {
  const index = indexOf([
    main(1),
    { ...main(2), revises: { thoughtNumber: 1 } },
    { address: { branchId: "constructor", thoughtNumber: 2 }, fork: { thoughtNumber: 1 } },
  ]);
  const nodes = [...index.nodes.values()].map((node) => structureNodeSchema.parse(describeNode(index, node)));
  expect(nodes).toEqual([
    { id: "s:1", next: ["s:2", "s:constructor:2"], revisedBy: ["s:2"] },
    { id: "s:2", prev: "s:1", next: [], revises: "s:1" },
    { id: "s:constructor:2", prev: "s:1", next: [], branchOrigin: "s:1", branchId: "constructor" },
  ]);
  expect(describeStructure(index).branches).toHaveProperty("constructor");
});

const forks = (pairs: [string, string | undefined][]) =>
  new Map(pairs.map(([branchId, parent]) => [branchId, { branchId: parent, thoughtNumber: 2 }]));

test("finds no cycle if branches fork from the main chain or from each other", () => {
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

test("finds a cycle wherever the search begins", () => {
  const circle: [string, string | undefined][] = [
    ["start", "a"],
    ["a", "b"],
    ["b", "a"],
  ];
  expect(findForkCycle(forks(circle))).toBe("a");
  expect(findForkCycle(forks(circle.reverse()))).toMatch(/^[ab]$/);
  expect(findForkCycle(forks([["own", "own"]]))).toBe("own");
});

test("follows a long chain of forks without recursion", () => {
  const long = Array.from({ length: 50_000 }, (_, n): [string, string] => [`b${n}`, `b${n + 1}`]);
  expect(findForkCycle(forks(long))).toBeUndefined();
});
