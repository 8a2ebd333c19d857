import { expect, test } from "vitest";
import { findRemoved } from "./line-diff.ts";

const removed = (before: string, after: string) =>
  findRemoved(before.split(""), after.split(""), (line) => line.toLowerCase());

test("removed lines are found in runs, each before the line that took their place", () => {
  expect(removed("abcde", "axde")).toEqual([{ oldAt: 1, before: 1, lines: ["b", "c"] }]);
  expect(removed("abc", "c")).toEqual([{ oldAt: 0, before: 0, lines: ["a", "b"] }]);
  expect(removed("abc", "a")).toEqual([{ oldAt: 1, before: 1, lines: ["b", "c"] }]);
  expect(removed("abcd", "acx")).toEqual([
    { oldAt: 1, before: 1, lines: ["b"] },
    { oldAt: 3, before: 2, lines: ["d"] },
  ]);
});

test("lines that differ only in what the key leaves out are the same", () => {
  expect(removed("aB", "Ab")).toEqual([]);
  expect(removed("", "ab")).toEqual([]);
});
