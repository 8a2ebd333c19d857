import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A soak leaves half a million files, and removing them is no part of what it tests. */
const enoughToRemoveMs = 1_800_000;

/** A directory of the test's own, gone when the test is. A server that was just killed may still write into it. */
export function tempDir(): string {
  const path = mkdtempSync(join(tmpdir(), "thoughtbox-test-"));
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 10 }), enoughToRemoveMs);
  return path;
}
