import { expect, test } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import { createBoundedLines } from "./bounded-lines.ts";

test("lines leave in the order they came, as many as fit", () => {
  const queue = createBoundedLines(100);
  for (const line of ["aaa", "bbb", "ccc"]) queue.push(line);
  expect(queue.take(7)).toEqual(["aaa", "bbb"]);
  expect(queue.take(7)).toEqual(["ccc"]);
  expect(queue.take(7)).toEqual([]);
});

test("a line longer than a batch leaves alone", () => {
  const queue = createBoundedLines(100);
  for (const line of ["a long line", "b"]) queue.push(line);
  expect(queue.take(3)).toEqual(["a long line"]);
});

test("the oldest lines are given up for the newest", () => {
  const queue = createBoundedLines(6);
  expect([queue.push("aaa"), queue.push("bbb"), queue.push("cccc")]).toEqual([0, 0, 2]);
  expect(queue.take(100)).toEqual(["cccc"]);
});

test("lines put back stand in front again, unless younger ones took their room", () => {
  const queue = createBoundedLines(6);
  queue.push("aa");
  queue.push("bb");
  const taken = queue.take(100);
  queue.push("cc");
  queue.push("dd");
  expect(queue.putBack(taken)).toBe(1);
  expect(queue.take(100)).toEqual(["bb", "cc", "dd"]);
});

test("for any sequence, every line is taken once, given up or still there, and the limit holds", () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("push" as const), size: fc.integer({ min: 0, max: 9 }) }),
    fc.record({ kind: fc.constant("take" as const), size: fc.integer({ min: 0, max: 30 }) }),
    fc.record({ kind: fc.constant("return" as const), size: fc.integer({ min: 0, max: 30 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const queue = createBoundedLines(40);
      const seen: number[] = [];
      let [pushed, dropped] = [0, 0];
      const numbersOf = (lines: string[]) => lines.map((line) => Number(line.split(":")[0]));
      for (const { kind, size } of steps) {
        if (kind === "push") dropped += queue.push(`${pushed++}:${"x".repeat(size)}`);
        if (kind === "take") seen.push(...numbersOf(queue.take(size)));
        if (kind === "return") dropped += queue.putBack(queue.take(size));
      }
      const rest = queue.take(Number.POSITIVE_INFINITY);
      expect(rest.join("").length).toBeLessThanOrEqual(40);
      seen.push(...numbersOf(rest));
      expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
      expect(seen.length + dropped).toBe(pushed);
      expect(queue.length).toBe(0);
    }),
  );
});

test("giving up lines of a full queue costs the same however long it is", () => {
  const queue = createBoundedLines(200_000);
  let dropped = 0;
  for (let count = 0; count < 400_000; count += 1) dropped += queue.push("x");
  expect(dropped).toBe(200_000);
});
