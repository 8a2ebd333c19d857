import { defineConfig } from "vitest/config";
import { RunOrder } from "./tests/support/run-order.ts";

/** They change their process or measure it: each has one of its own. */
const alone = [
  "src/runner/**/*.test.ts",
  "src/mcp/stdio/stdio-transport.test.ts",
  "tests/faults/processor-time*.test.ts",
  "tests/observatory/server/crowd.test.ts",
];

const common = {
  exclude: ["**/node_modules/**", "dist/**"],
  testTimeout: 60_000,
  hookTimeout: 60_000,
  pool: "forks",
} as const;

export default defineConfig({
  test: {
    reporters: ["default", "./tests/support/run/closing-line-reporter.ts"],
    maxWorkers: 2,
    sequence: { sequencer: RunOrder },
    projects: [
      { test: { ...common, name: "alone", include: alone } },
      {
        test: {
          ...common,
          name: "shared",
          include: ["src/**/*.test.ts", "ui/**/*.test.ts", "tests/**/*.test.ts"],
          exclude: [...common.exclude, ...alone],
          // The program is loaded once for all files of a worker: it has no state that one could leave to another.
          isolate: false,
        },
      },
    ],
  },
});
