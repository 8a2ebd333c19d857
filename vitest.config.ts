import { existsSync, statfsSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { RunOrder } from "./tests/support/run/run-order.ts";

/**
 * All test files in a worker share one loaded program, because it keeps no state in modules. Files that kill,
 * measure or change processes, start many, or drive a browser run in separate processes, on a real disk.
 */
const shared = [
  "catalogue",
  "cli",
  "connect",
  "contract",
  "http",
  "journeys",
  "properties",
  "sqlite",
  "tree",
].map((folder) => `tests/${folder}`);
const alone = ["src/runner"];

/** A folder in memory for the stores of tests that do not depend on a real disk, or `undefined` if there is none. */
function memoryDisk(): { TMPDIR: string } | undefined {
  const place = "/dev/shm";
  if (!existsSync(place)) return undefined;
  const { bavail, bsize } = statfsSync(place);
  return bavail * bsize > 4 * 1024 ** 3 ? { TMPDIR: place } : undefined;
}

/**
 * Processor time is measured in the soak. `processor-time.test.ts` is an early warning in the gate. To run it by hand:
 * `SOAK_PROCESSOR_TIME=1 npx vitest run tests/faults/processor-time-large.test.ts`.
 */
const measured =
  process.env["SOAK_PROCESSOR_TIME"] === undefined ? ["tests/faults/processor-time-*.test.ts"] : [];

const common = { testTimeout: 60_000, hookTimeout: 60_000, pool: "forks" } as const;
const notOurs = ["**/node_modules/**", "dist/**", ...measured];
const filesIn = (folders: readonly string[]) => folders.map((folder) => `${folder}/**/*.test.ts`);

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
          include: filesIn(["tests", ...alone]),
          exclude: [...notOurs, ...filesIn(shared)],
        },
      },
      {
        test: {
          ...common,
          name: "shared",
          include: filesIn(["src", "ui", ...shared]),
          exclude: [...notOurs, ...filesIn(alone)],
          isolate: false,
          env: memoryDisk(),
        },
      },
    ],
  },
});
