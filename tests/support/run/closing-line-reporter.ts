import type { Reporter, TestModule } from "vitest/node";
import { hasPostgres } from "../stores/postgres-server.ts";

/** Ends every run with one plain line for people and scripts: "12 passed, 0 failed". */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandled.length, skipped: 0 };
    for (const module of modules) {
      if (module.errors().length > 0) count.failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed") count.passed += 1;
        else if (state === "failed") count.failed += 1;
        else count.skipped += 1;
      }
    }
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : "";
    const lacking = hasPostgres ? "" : " (without PostgreSQL: its tests were skipped)";
    process.stdout.write(`\n${count.passed} passed, ${count.failed} failed${skipped}${lacking}\n`);
  }
}
