import { expect, test } from "vitest";
import { readTestResults } from "./test-results.ts";

test.each([
  [" Test Files  1 failed | 3 passed (4)\n      Tests  2 failed | 29 passed (31)\n", 2, 29],
  ["\u001b[2m      Tests \u001b[22m \u001b[1m\u001b[32m31 passed\u001b[39m (31)", 0, 31],
  ["Tests:       1 failed, 1 skipped, 4 passed, 6 total\nSnapshots: 0 total", 1, 4],
  ["===== 2 failed, 29 passed, 1 warning in 1.20s =====", 2, 29],
  ["============ 7 passed in 0.03s ============\n", 0, 7],
  [
    "test result: ok. 3 passed; 0 failed; 0 ignored\n\ntest result: FAILED. 4 passed; 1 failed; 0 ignored",
    1,
    7,
  ],
  ["# tests 31\n# pass 29\n# fail 2\n", 2, 29],
  ["ℹ tests 5\nℹ pass 5\nℹ fail 0", 0, 5],
  ["  29 passing (1s)\n  2 failing\n\n  1) pool", 2, 29],
])("%j is a summary", (output, failed, passed) => {
  expect(readTestResults(`some lines\n${output}`)).toEqual({ failed, passed });
});

test.each(["", "1 failed", "All tests passed", "Tests are slow", "ok  example.com/pool  0.3s"])(
  "finds no total in %j",
  (output) => {
    expect(readTestResults(output)).toBeUndefined();
  },
);

test("finds no total in long hostile output", () => {
  expect(readTestResults("Tests ".repeat(100_000))).toBeUndefined();
  expect(readTestResults(`${"=".repeat(100_000)} passed`)).toBeUndefined();
});
