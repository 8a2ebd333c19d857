import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createWhenQuiet, systemClock } from "./clock.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

function create() {
  const done: number[] = [];
  const began = performance.now();
  const work = createWhenQuiet(() => done.push(performance.now() - began), { quietMs: 10, patienceMs: 100 });
  return { done, work };
}

test("runs the work once, after a pause without requests", () => {
  const { done, work } = create();
  work.later();
  vi.advanceTimersByTime(6);
  work.later();
  vi.advanceTimersByTime(6);
  expect(done).toEqual([]);
  vi.advanceTimersByTime(200);
  expect(done).toEqual([16]);
});

test("runs the work even if requests never pause, and can be requested again", () => {
  const { done, work } = create();
  for (let ms = 0; ms < 250; ms += 5) {
    work.later();
    vi.advanceTimersByTime(5);
  }
  expect(done).toEqual([100, 200]);
});

test("does not run cancelled work", () => {
  const { done, work } = create();
  work.later();
  work.cancel();
  vi.advanceTimersByTime(500);
  expect(done).toEqual([]);
});

test("the system clock returns a new date with the current time", () => {
  const before = Date.now();
  const told = systemClock();
  expect(told.getTime()).toBeGreaterThanOrEqual(before);
  expect(systemClock()).not.toBe(told);
});
