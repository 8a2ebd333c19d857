import { existsSync, statfsSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { RunOrder } from "./tests/support/run-order.ts";

/** They kill, measure or change processes, or drive a browser: each file has a process of its own, on a real disk. */
const alone = ["tests/faults/**", "tests/browser/**", "tests/conformance/**", "src/runner/**"];

/** A place in memory for the stores of tests that no fault of a disk is to be found by; `undefined` where there is none. */
function memoryDisk(): { TMPDIR: string } | undefined {
  const place = "/dev/shm";
  if (!existsSync(place)) return undefined;
  const { bavail, bsize } = statfsSync(place);
  return bavail * bsize > 4 * 1024 ** 3 ? { TMPDIR: place } : undefined;
}

const common = { testTimeout: 60_000, hookTimeout: 60_000, pool: "forks" } as const;
const notOurs = ["**/node_modules/**", "dist/**"];

export default defineConfig({
  test: {
    reporters: ["default", "./tests/support/run/closing-line-reporter.ts"],
    maxWorkers: 2,
    sequence: { sequencer: RunOrder },
    projects: [
      {
        test: {
          ...common,
          name: "alone",
          include: alone.map((folder) => `${folder}/*.test.ts`),
          exclude: notOurs,
        },
      },
      {
        test: {
          ...common,
          name: "shared",
          include: ["src/**/*.test.ts", "ui/**/*.test.ts", "tests/**/*.test.ts"],
          exclude: [...notOurs, ...alone],
          // The program is loaded once for all files of a worker: it has no state that one could leave to the next.
          isolate: false,
          env: memoryDisk(),
        },
      },
    ],
  },
});
