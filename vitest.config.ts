import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "ui/**/*.test.ts", "tests/**/*.test.ts"],
    exclude: ["**/node_modules/**", "dist/**"],
    reporters: ["default", "./tests/support/run/closing-line-reporter.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
  },
});
