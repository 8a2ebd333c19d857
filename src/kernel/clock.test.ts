import { expect, test } from "vitest";
import { systemClock } from "./clock.ts";

test("the system clock gives a fresh date of now", () => {
  const before = Date.now();
  const told = systemClock();
  expect(told.getTime()).toBeGreaterThanOrEqual(before);
  expect(systemClock()).not.toBe(told);
});
