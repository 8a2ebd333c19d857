import { expect, test } from "vitest";
import { readAgo } from "./operation-options.ts";

test("reads a time given as hours, days or weeks ago", () => {
  const now = new Date("2026-03-15T12:00:00Z");
  const read = (typed: string) => readAgo(typed, now)?.toISOString();
  expect(read("12h")).toBe("2026-03-15T00:00:00.000Z");
  expect(read("7d")).toBe("2026-03-08T12:00:00.000Z");
  expect(read("2w")).toBe("2026-03-01T12:00:00.000Z");
  expect(read("2026-03-01")).toBeUndefined();
  expect(read("yesterday")).toBeUndefined();
});
