import { closeSync, mkdtempSync, openSync } from "node:fs";
import { join } from "node:path";
import { timeEach } from "./timing.ts";

const files = 200;
const slowMs = 0.2;

/** Creates empty files in the directory and returns the time for each, in milliseconds. */
export function timeNewFiles(directory: string): Promise<number[]> {
  const folder = mkdtempSync(join(directory, "files-"));
  return timeEach(files, (n) => closeSync(openSync(join(folder, String(n)), "wx")));
}

export function warnOfSlowFiles(typicalMs: number): void {
  if (typicalMs < slowMs) return;
  process.stderr.write(
    `bench: a new file takes ${typicalMs.toFixed(1)} ms here. On ext4 that happens for some minutes after many files ` +
      "were deleted nearby: wait, or set XDG_CACHE_HOME to another place.\n",
  );
}
