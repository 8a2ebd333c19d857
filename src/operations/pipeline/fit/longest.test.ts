import { expect, test } from "vitest";
import { cutLongest } from "./budget.ts";

const limits = { chars: 1_000 };
const sizeOf = (value: unknown) => JSON.stringify(value).length;

test("leaves an answer that fits unchanged", () => {
  const answer = { title: "x".repeat(900) };
  expect(cutLongest(answer, limits)).toMatchObject({ result: answer, truncated: false });
});

test("shortens the longest text fields as little as necessary, however deep they are", () => {
  const { result, truncated } = cutLongest({ id: "n1", note: { content: "x".repeat(5_000) } }, limits);
  expect(truncated).toBe(true);
  expect(result).toMatchObject({
    id: "n1",
    note: { content: expect.stringMatching(/^x{900,}…$/) },
    truncated: true,
  });
  expect(sizeOf(result)).toBeLessThanOrEqual(1_000);
});

test("counts escaped characters at their escaped length", () => {
  const { result } = cutLongest({ content: "\u0001".repeat(5_000) }, limits);
  expect(sizeOf(result)).toBeGreaterThan(900);
  expect(sizeOf(result)).toBeLessThanOrEqual(1_000);
});

test("shortens lists and maps if shortening texts is not enough", () => {
  const items = Array.from({ length: 200 }, (_, n) => ({ id: `item ${n}` }));
  const map = Object.fromEntries(items.map(({ id }) => [id, true]));
  const { result } = cutLongest({ items, map }, limits);
  expect((result["items"] as unknown[]).length).toBeGreaterThan(10);
  expect((result["items"] as unknown[])[0]).toEqual({ id: "item 0" });
  expect(sizeOf(result)).toBeLessThanOrEqual(1_000);
});

test("respects a limit in bytes as well as in characters", () => {
  const { result } = cutLongest({ content: "日".repeat(900) }, { chars: 1_000, bytes: 1_000 });
  expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(1_000);
});

test("never splits a character", () => {
  const { result } = cutLongest({ content: "😀".repeat(900) }, limits);
  expect(JSON.stringify(result)).not.toContain("\\ud83d");
});
