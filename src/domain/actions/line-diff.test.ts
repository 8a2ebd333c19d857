import { expect, test } from "vitest";
import { findRemoved } from "./line-diff.ts";

const removed = (before: string, after: string) =>
  findRemoved(before.split(""), after.split(""), (line) => line.toLowerCase());

test("groups removed lines into runs, each before the line that replaced it", () => {
  expect(removed("abcde", "axde")).toEqual([{ oldAt: 1, before: 1, lines: ["b", "c"] }]);
  expect(removed("abc", "c")).toEqual([{ oldAt: 0, before: 0, lines: ["a", "b"] }]);
  expect(removed("abc", "a")).toEqual([{ oldAt: 1, before: 1, lines: ["b", "c"] }]);
  expect(removed("abcd", "acx")).toEqual([
    { oldAt: 1, before: 1, lines: ["b"] },
    { oldAt: 3, before: 2, lines: ["d"] },
  ]);
});

test("treats lines as equal if their keys are equal", () => {
  expect(removed("aB", "Ab")).toEqual([]);
  expect(removed("", "ab")).toEqual([]);
});
