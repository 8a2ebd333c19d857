import { expect, test } from "vitest";
import { formatAge, formatAgo, formatDuration } from "./words.ts";

test.each([
  ["2026-11-15T11:59:50Z", "now"],
  ["2026-11-15T12:05:00Z", "now"],
  ["2026-11-15T11:55:00Z", "5m"],
  ["2026-11-15T09:01:00Z", "2h"],
  ["2026-11-13T09:00:00Z", "2d"],
  ["2026-10-01T09:00:00Z", "6w"],
  ["2024-11-01T09:00:00Z", "2y"],
])("at noon, the age of %s is %s", (timestamp, age) => {
  expect(formatAge(timestamp, new Date("2026-11-15T12:00:00Z"))).toBe(age);
});

test("shows short durations in seconds", () => {
  expect([0, 1_400, 59_000, 60_000, 3_700_000].map(formatDuration)).toEqual(["0s", "1s", "59s", "1m", "1h"]);
});

test("says `just now` in a sentence instead of `now ago`", () => {
  const now = new Date("2026-11-15T12:00:00Z");
  expect(formatAgo("2026-11-15T11:59:50Z", now)).toBe("just now");
  expect(formatAgo("2026-11-15T11:55:00Z", now)).toBe("5m ago");
});
