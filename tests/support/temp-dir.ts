import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Milliseconds for removing files, of which a soak leaves half a million. */
const enoughToRemoveMs = 1_800_000;

/** Creates a separate directory, removed after the test. A server that was just killed may still write to it. */
export function tempDir(): string {
  const path = mkdtempSync(join(tmpdir(), "thoughtbox-test-"));
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 10 }), enoughToRemoveMs);
  return path;
}
