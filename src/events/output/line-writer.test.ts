import { expect, test } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import { defer } from "../test-support/deferred.ts";
import { createBoundedLines, createLineWriter, type LineTarget } from "./line-writer.ts";

type Limits = NonNullable<Parameters<typeof createLineWriter>[0]["limits"]>;

function openWriter(write: LineTarget["write"], limits: Limits = {}) {
  const told = { troubles: [] as string[], dropped: [] as number[], closed: 0 };
  const writer = createLineWriter({
    target: {
      write,
      close: async () => {
        told.closed += 1;
      },
    },
    onTrouble: (thrown) => told.troubles.push((thrown as Error).message),
    onDropped: (count) => told.dropped.push(count),
    limits: { retryMs: 1, longestRetryMs: 2, closeMs: 20, ...limits },
  });
  return { writer, told };
}

/** Accepts all lines by default. A test can refuse a batch or accept part of it. */
function recorder(refuse: (batch: number) => number | Error | undefined = () => undefined) {
  const batches: string[][] = [];
  let asked = 0;
  const write: LineTarget["write"] = async (lines) => {
    const answer = refuse(asked++);
    if (answer instanceof Error) throw answer;
    batches.push(lines.slice(0, answer));
    return answer ?? lines.length;
  };
  return { batches, write };
}

const never: LineTarget["write"] = () => new Promise(() => {});

test("writes a burst of lines in one batch", async () => {
  const { batches, write } = recorder();
  const { writer, told } = openWriter(write);
  for (const line of ["a\n", "b\n", "c\n"]) writer.write(line);
  await writer.close();
  expect(batches).toEqual([["a\n", "b\n", "c\n"]]);
  expect(told).toEqual({ troubles: [], dropped: [], closed: 1 });
});

test("reports a failing target once, and retries until each line is written once and in order", async () => {
  const healed = defer();
  const { batches, write } = recorder((batch) => {
    if (batch === 5) healed.resolve();
    return batch < 5 ? new Error(`failure ${batch}`) : undefined;
  });
  const { writer, told } = openWriter(write);
  writer.write("a\n");
  writer.write("b\n");
  await healed.promise;
  await writer.close();
  expect(batches.flat()).toEqual(["a\n", "b\n"]);
  expect(told.troubles).toEqual(["failure 0"]);
  expect(told.dropped).toEqual([]);
});

test("writes the lines that a target could not accept in the next batch", async () => {
  const { batches, write } = recorder((batch) => (batch === 0 ? 1 : undefined));
  const { writer } = openWriter(write);
  for (const line of ["a\n", "b\n", "c\n"]) writer.write(line);
  await writer.close();
  expect(batches).toEqual([["a\n"], ["b\n", "c\n"]]);
});

test("limits memory for a stalled target, keeps the newest lines and reports the loss once", async () => {
  const stalled = defer<number>();
  const seen: string[] = [];
  const begun = defer();
  const { writer, told } = openWriter(
    (lines) => {
      seen.push(...lines);
      begun.resolve();
      return seen.length === 1 ? stalled.promise : Promise.resolve(lines.length);
    },
    { waitingChars: 8 },
  );
  writer.write("0\n");
  await begun.promise;
  for (let count = 1; count <= 9; count += 1) writer.write(`${count}\n`);
  stalled.resolve(1);
  await writer.close();
  expect(seen).toEqual(["0\n", "6\n", "7\n", "8\n", "9\n"]);
  expect(told.dropped).toEqual([5]);
});

test("reports a loss while the target is still stalled", async () => {
  const notice = defer<number>();
  const writer = createLineWriter({
    target: { write: never, close: async () => {} },
    onTrouble: () => {},
    onDropped: notice.resolve,
    limits: { waitingChars: 2, noticeMs: 1 },
  });
  for (const line of ["a\n", "b\n", "c\n"]) writer.write(line);
  expect(await notice.promise).toBe(2);
});

test("closes without waiting for a stalled target, and counts the lines that remain", async () => {
  const { writer, told } = openWriter(never);
  writer.write("a\n");
  await Promise.resolve();
  writer.write("b\n");
  await writer.close();
  expect(told.dropped).toEqual([2]);
});

test("tries a failing target once more when closing", async () => {
  const failed = defer();
  const { batches, write } = recorder((batch) => {
    if (batch > 0) return undefined;
    failed.resolve();
    return new Error("full");
  });
  const { writer, told } = openWriter(write, { retryMs: 1_000_000, longestRetryMs: 1_000_000 });
  writer.write("a\n");
  await failed.promise;
  await new Promise(setImmediate);
  await writer.close();
  expect(batches).toEqual([["a\n"]]);
  expect(told).toMatchObject({ dropped: [], closed: 1 });
});

test("gives up on a target that keeps failing when closing", async () => {
  const { write } = recorder(() => new Error("full"));
  const { writer, told } = openWriter(write);
  writer.write("a\n");
  await writer.close();
  await writer.close();
  expect(told).toEqual({ troubles: ["full"], dropped: [1], closed: 1 });
});

test("accepts nothing after closing", async () => {
  const { batches, write } = recorder();
  const { writer } = openWriter(write);
  await writer.close();
  writer.write("late\n");
  await new Promise(setImmediate);
  expect(batches).toEqual([]);
});

test("takes as many lines as fit, in order", () => {
  const queue = createBoundedLines(100);
  for (const line of ["aaa", "bbb", "ccc"]) queue.push(line);
  expect(queue.take(7)).toEqual(["aaa", "bbb"]);
  expect(queue.take(7)).toEqual(["ccc"]);
  expect(queue.take(7)).toEqual([]);
});

test("takes a line longer than a batch by itself", () => {
  const queue = createBoundedLines(100);
  for (const line of ["a long line", "b"]) queue.push(line);
  expect(queue.take(3)).toEqual(["a long line"]);
});

test("drops the oldest lines for the newest", () => {
  const queue = createBoundedLines(6);
  expect([queue.push("aaa"), queue.push("bbb"), queue.push("cccc")]).toEqual([0, 0, 2]);
  expect(queue.take(100)).toEqual(["cccc"]);
});

test("puts lines back at the front, and drops the oldest ones if they no longer fit", () => {
  const queue = createBoundedLines(6);
  queue.push("aa");
  queue.push("bb");
  const taken = queue.take(100);
  queue.push("cc");
  queue.push("dd");
  expect(queue.putBack(taken)).toBe(1);
  expect(queue.take(100)).toEqual(["bb", "cc", "dd"]);
});

test("writes, drops or queues every line exactly once, within the limit, in any sequence of calls", () => {
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

test("drops lines of a full queue efficiently, however long it is", () => {
  const queue = createBoundedLines(200_000);
  let dropped = 0;
  for (let count = 0; count < 400_000; count += 1) dropped += queue.push("x");
  expect(dropped).toBe(200_000);
});
