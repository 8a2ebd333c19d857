import { expect, test } from "vitest";
import { cutLongest } from "./budget.ts";

const limits = { chars: 1_000 };
const sizeOf = (value: unknown) => JSON.stringify(value).length;

test("an answer that fits is left as it is", () => {
  const answer = { title: "x".repeat(900) };
  expect(cutLongest(answer, limits)).toMatchObject({ result: answer, truncated: false });
});

test("the longest text fields lose their ends, however deep they are, and as little as is needed", () => {
  const { result, truncated } = cutLongest({ id: "n1", note: { content: "x".repeat(5_000) } }, limits);
  expect(truncated).toBe(true);
  expect(result).toMatchObject({
    id: "n1",
    note: { content: expect.stringMatching(/^x{900,}…$/) },
    truncated: true,
  });
  expect(sizeOf(result)).toBeLessThanOrEqual(1_000);
});

test("what JSON writes longer counts as it is written", () => {
  const { result } = cutLongest({ content: "\u0001".repeat(5_000) }, limits);
  expect(sizeOf(result)).toBeGreaterThan(900);
  expect(sizeOf(result)).toBeLessThanOrEqual(1_000);
});

test("lists lose their ends where short texts are not enough, and maps do too", () => {
  const items = Array.from({ length: 200 }, (_, n) => ({ id: `item ${n}` }));
  const map = Object.fromEntries(items.map(({ id }) => [id, true]));
  const { result } = cutLongest({ items, map }, limits);
  expect((result["items"] as unknown[]).length).toBeGreaterThan(10);
  expect((result["items"] as unknown[])[0]).toEqual({ id: "item 0" });
  expect(sizeOf(result)).toBeLessThanOrEqual(1_000);
});

test("bytes count as well as characters", () => {
  const { result } = cutLongest({ content: "日".repeat(900) }, { chars: 1_000, bytes: 1_000 });
  expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(1_000);
});

test("half a letter is never left", () => {
  const { result } = cutLongest({ content: "😀".repeat(900) }, limits);
  expect(JSON.stringify(result)).not.toContain("\\ud83d");
});
