import { randomUUID } from "node:crypto";
import { writeWholeSync } from "../../disk/write-whole.ts";

export type StoredSettings = { disableThoughtLogging: boolean; sessionPartitionGranularity: string };

/**
 * Leaves a config.json for the operator to edit if there is none. An existing one is never touched. It is
 * linked into place whole and on disk, because half a file would stop the next start, after a power cut too.
 * Trouble is left to the next start.
 */
export function createConfigJson(dataDir: string, settings: StoredSettings, now: Date): void {
  const content = { installId: randomUUID(), dataDir, ...settings, createdAt: now.toISOString() };
  try {
    const text = `${JSON.stringify(content, null, 2)}\n`;
    writeWholeSync(dataDir, "config.json", text, { as: "new", durable: true });
  } catch {
    // It exists, or this directory cannot be written just now.
  }
}
