import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const script = join(import.meta.dirname, "..", "..", "scripts", "count-files.mjs");

test("a thought over stdio runs through at most 50 source files", () => {
  const files: string[] = JSON.parse(
    execFileSync(process.execPath, [script, "--json"], { encoding: "utf8" }),
  );
  expect(files).toContain("src/mcp/stdio/stdio-transport.ts");
  expect(files).toContain("src/operations/ledger/thought/thought.ts");
  expect(files).toContain("src/storage/sqlite/ledger/ledger-writes.ts");
  expect(files.length, files.join("\n")).toBeLessThanOrEqual(50);
});
