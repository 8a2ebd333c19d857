import { expect, test } from "vitest";
import { describeState } from "./cell-state.ts";

test.each([
  [{ state: "idle" }, "not run"],
  [{ state: "queued" }, "queued"],
  [{ state: "running" }, "running 12 s"],
  [{ state: "completed", exitCode: 0 }, "completed"],
  [{ state: "failed", exitCode: 1 }, "failed, exit 1"],
  [{ state: "failed", exitCode: null }, "failed"],
  [{ state: "failed", exitCode: null, stoppedBy: "time" }, "timed out"],
  [{ state: "failed", exitCode: null, stoppedBy: "memory" }, "used too much memory"],
  [{ state: "stale", exitCode: 0 }, "stale"],
  [{ state: "interrupted" }, "interrupted"],
] as const)("shows %j as %s", (run, words) => {
  expect(describeState(run, "12 s").words).toBe(words);
});
