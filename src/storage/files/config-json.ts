import { randomUUID } from "node:crypto";
import { linkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export type StoredSettings = { disableThoughtLogging: boolean; sessionPartitionGranularity: string };

/**
 * Leaves a config.json for the operator to edit where there is none; one that is there is never touched. It is
 * linked into place whole and on disk, because half a file would stop the next start, after a power cut too.
 * Trouble is left to the next start.
 */
export function createConfigJson(dataDir: string, settings: StoredSettings, now: Date): void {
  const content = { installId: randomUUID(), dataDir, ...settings, createdAt: now.toISOString() };
  const temporary = join(dataDir, `.config.json.${randomUUID().slice(0, 8)}.tmp`);
  try {
    const text = `${JSON.stringify(content, null, 2)}\n`;
    writeFileSync(temporary, text, { flag: "wx", mode: 0o600, flush: true });
    linkSync(temporary, join(dataDir, "config.json"));
  } catch {
    // It exists, or this directory cannot be written just now.
  } finally {
    removeQuietly(temporary);
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Never made.
  }
}
