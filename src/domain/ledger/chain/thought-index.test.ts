import { describe, expect, test } from "vitest";
import fc from "../../../../tests/support/fast-check.ts";
import type { Address } from "../thought.ts";
import { createThoughtIndex, type ThoughtLink } from "./thought-index.ts";

/** Creates an index of the links and numbers their positions in the given order. */
function indexOf(...links: Omit<ThoughtLink, "position">[]) {
  const index = createThoughtIndex("s");
  links.forEach((link, at) => void index.add({ ...link, position: at + 1 }));
  return index;
}

const main = (thoughtNumber: number, more: Partial<ThoughtLink> = {}) => ({
  address: { thoughtNumber },
  ...more,
});
const branch = (branchId: string, thoughtNumber: number, more: Partial<ThoughtLink> = {}) => ({
  address: { branchId, thoughtNumber },
  ...more,
});

function linksOf(index: ReturnType<typeof indexOf>, id: string) {
  const node = index.nodes.get(id);
  if (!node) throw new Error(`no node ${id}`);
  return index.links(node);
}

test("an empty session has no nodes, chains or branches", () => {
  const index = indexOf();
  expect(index.size).toBe(0);
  expect(index.position).toBe(0);
  expect(index.chain()).toEqual([]);
  expect(index.chain("none")).toEqual([]);
  expect(index.branches()).toEqual([]);
  expect(index.find({ thoughtNumber: 1 })).toBeUndefined();
});

test("orders a chain by number, whatever the order of recording", () => {
  for (const order of [
    [1, 2, 3, 7],
    [7, 3, 2, 1],
    [2, 7, 1, 3],
  ])
    expect(indexOf(...order.map((number) => main(number))).chain()).toEqual([1, 2, 3, 7]);
});

test("sorts numbers numerically", () => {
  expect(indexOf(main(10), main(9), main(100)).chain()).toEqual([9, 10, 100]);
});

test("keeps a chain in order if it is read while it grows", () => {
  const index = createThoughtIndex("s");
  [5, 4, 6, 1].forEach((thoughtNumber, at) => {
    index.add({ position: at + 1, address: { thoughtNumber } });
    const seen = [...index.chain()];
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  });
  expect(index.chain()).toEqual([1, 4, 5, 6]);
});

describe("links", () => {
  test("follow the order of recording when numbers count backward", () => {
    const index = indexOf(main(5), main(4), main(3));
    expect(linksOf(index, "s:4")).toEqual({ prev: "s:5", next: ["s:3"], branchOrigin: undefined });
    expect(linksOf(index, "s:5").prev).toBeUndefined();
    expect(linksOf(index, "s:3").next).toEqual([]);
  });

  test("do not change when a gap is filled later", () => {
    const index = indexOf(main(1), main(9));
    expect(linksOf(index, "s:1").next).toEqual(["s:9"]);
    index.add({ position: 3, address: { thoughtNumber: 5 } });
    expect(linksOf(index, "s:1").next).toEqual(["s:9"]);
    expect(linksOf(index, "s:5").prev).toBe("s:9");
  });

  test("connect a fork with every branch, in both directions", () => {
    const fork = { thoughtNumber: 1 };
    const index = indexOf(
      main(1),
      branch("a", 2, { fork }),
      main(2),
      branch("b", 2, { fork }),
      branch("a", 3),
    );
    expect(linksOf(index, "s:1").next).toEqual(["s:2", "s:a:2", "s:b:2"]);
    expect(linksOf(index, "s:a:2")).toEqual({ prev: "s:1", next: ["s:a:3"], branchOrigin: "s:1" });
    expect(linksOf(index, "s:a:3")).toEqual({ prev: "s:a:2", next: [], branchOrigin: "s:1" });
  });

  test("connect a fork with the thought that opened the branch, even if a lower number follows", () => {
    const index = indexOf(main(1), branch("a", 9, { fork: { thoughtNumber: 1 } }), branch("a", 4));
    expect(linksOf(index, "s:1").next).toEqual(["s:a:9"]);
    expect(linksOf(index, "s:a:9").prev).toBe("s:1");
    expect(linksOf(index, "s:a:4").prev).toBe("s:a:9");
  });

  test("connect nested branches", () => {
    const index = indexOf(
      main(1),
      branch("a", 2, { fork: { thoughtNumber: 1 } }),
      branch("b", 3, { fork: { branchId: "a", thoughtNumber: 2 } }),
      branch("c", 4, { fork: { branchId: "b", thoughtNumber: 3 } }),
    );
    expect(linksOf(index, "s:c:4").prev).toBe("s:b:3");
    expect(linksOf(index, "s:a:2").next).toEqual(["s:b:3"]);
    expect(index.branches()).toEqual([
      { branchId: "a", fork: { thoughtNumber: 1 }, numbers: [2] },
      { branchId: "b", fork: { branchId: "a", thoughtNumber: 2 }, numbers: [3] },
      { branchId: "c", fork: { branchId: "b", thoughtNumber: 3 }, numbers: [4] },
    ]);
  });
});

describe("ancestors", () => {
  const index = indexOf(
    main(1),
    main(2),
    main(3),
    branch("a", 3, { fork: { thoughtNumber: 2 } }),
    branch("b", 4, { fork: { branchId: "a", thoughtNumber: 3 } }),
    main(4),
    branch("b", 5),
  );
  const of = (address: Address, count: number) =>
    index
      .ancestors(address, count)
      .map(({ branchId, thoughtNumber }) => `${branchId ?? ""}${thoughtNumber}`)
      .join(" ");

  test("are the earlier thoughts, through the forks, without those after a fork", () => {
    expect(of({ branchId: "b", thoughtNumber: 5 }, 9)).toBe("1 2 a3 b4");
    expect(of({ branchId: "b", thoughtNumber: 5 }, 2)).toBe("a3 b4");
    expect(of({ thoughtNumber: 4 }, 5)).toBe("1 2 3");
    expect(of({ thoughtNumber: 1 }, 5)).toBe("");
  });

  test("are the thoughts recorded earlier, whatever their numbers", () => {
    const backward = indexOf(main(5), main(4), main(3));
    expect(backward.ancestors({ thoughtNumber: 4 }, 5)).toEqual([{ thoughtNumber: 5 }]);
  });
});

test("lists revisions from both ends", () => {
  const revises = { thoughtNumber: 1 };
  const index = indexOf(main(1), main(2, { revises }), branch("a", 2, { fork: revises, revises }));
  expect(index.revisedBy("s:1")).toEqual(["s:2", "s:a:2"]);
  expect(index.revisedBy("s:2")).toEqual([]);
  expect(index.find({ thoughtNumber: 2 })?.revisesNode).toBe("s:1");
  expect(index.revisions().map(({ id }) => id)).toEqual(["s:2", "s:a:2"]);
});

test("a branch can be called constructor", () => {
  const index = indexOf(main(1), branch("constructor", 2, { fork: { thoughtNumber: 1 } }));
  expect(index.chain("constructor")).toEqual([2]);
  expect(index.chain("__proto__")).toEqual([]);
  expect(linksOf(index, "s:1").next).toEqual(["s:constructor:2"]);
});

test("next and prev mirror each other, whatever the order of recording", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 40 }),
      (numbers) => {
        const fork = { thoughtNumber: numbers[0] ?? 1 };
        const index = indexOf(
          ...numbers.map((number) => main(number)),
          ...numbers.map((number, at) => branch("a", number, at === 0 ? { fork } : {})),
        );
        expect(index.size).toBe(numbers.length * 2);
        for (const node of index.nodes.values()) {
          const { prev, next } = index.links(node);
          for (const id of next) expect(linksOf(index, id).prev).toBe(node.id);
          if (prev !== undefined) expect(linksOf(index, prev).next).toContain(node.id);
        }
      },
    ),
  );
});
