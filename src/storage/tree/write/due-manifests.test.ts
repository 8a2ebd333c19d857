import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createDueManifests } from "./due-manifests.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

const write = async () => {};

test("the first manifest is due immediately, the next one a second later", async () => {
  const due = createDueManifests();
  due.note("a", 1);
  expect(due.due(false)).toEqual(["a"]);
  await due.bringUpToDate("a", write);
  due.note("a", 2);
  expect(due.due(false)).toEqual([]);
  expect(due.nextInMs()).toBe(1_000);
  vi.advanceTimersByTime(999);
  expect(due.due(false)).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(due.due(false)).toEqual(["a"]);
});

test("a manifest that takes long to write is due less often", async () => {
  const due = createDueManifests();
  await due.bringUpToDate("long", async () => void vi.advanceTimersByTime(100));
  due.note("long", 1);
  expect(due.nextInMs()).toBe(2_500);
});

test("in a hurry, every manifest with new entries is due", async () => {
  const due = createDueManifests();
  for (const id of ["a", "b"]) {
    due.note(id, 1);
    await due.bringUpToDate(id, write);
  }
  due.note("b", 2);
  expect(due.due(true)).toEqual(["b"]);
});

test("the mark is the first entry that is not in a manifest", async () => {
  const due = createDueManifests();
  expect(due.settledBefore()).toBe(Number.POSITIVE_INFINITY);
  due.note("a", 7);
  due.note("b", 5);
  due.note("a", 9);
  expect(due.settledBefore()).toBe(5);
  await due.bringUpToDate("b", write);
  expect(due.settledBefore()).toBe(7);
});

test("a manifest that could not be written stays due from the same entry", async () => {
  const due = createDueManifests();
  due.note("a", 7);
  await expect(due.bringUpToDate("a", () => Promise.reject(new Error("full")))).rejects.toThrow("full");
  expect(due.settledBefore()).toBe(7);
});

test("an entry that arrives while the manifest is written makes it due again", async () => {
  const due = createDueManifests();
  due.note("a", 7);
  await due.bringUpToDate("a", async () => due.note("a", 8));
  expect(due.isBehind("a")).toBe(true);
  expect(due.settledBefore()).toBe(8);
});
