import { expect, test } from "vitest";
import { formatRef, parseRef, refPattern } from "./entry.ts";

test.each([
  ["notes@12", { doc: "notes", seq: 12 }],
  ["TASK-001-trace@456", { doc: "TASK-001-trace", seq: 456 }],
  ["a..b@1", { doc: "a..b", seq: 1 }],
])("%s is a commit", (text, ref) => {
  expect(parseRef(text)).toEqual(ref);
  expect(formatRef(ref)).toBe(text);
  expect(text).toMatch(refPattern);
});

test.each(["main", "try/cache", "v1.0", "_x"])("%s is a branch or a tag", (text) => {
  expect(parseRef(text)).toBeUndefined();
  expect(text).toMatch(refPattern);
});

test.each(["", "/main", "a..b", "notes@", "@12", "notes@-1", "notes@1.5", "a/b@1", "notes@1234567890123456"])(
  "%o is not a reference",
  (text) => {
    expect(parseRef(text)).toBeUndefined();
    expect(text).not.toMatch(refPattern);
  },
);
