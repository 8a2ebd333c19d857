import { randomUUID } from "node:crypto";
import { writeWholeSync } from "../../disk/write-whole.ts";

export type StoredSettings = { disableThoughtLogging: boolean; sessionPartitionGranularity: string };

/**
 * Creates a config.json for the operator to edit if there is none. Never changes an existing file. The file
 * is complete and on disk before it is linked into place, because a partial file after a power cut would make
 * the next start fail. Errors are ignored, and the next start tries again.
 */
export function createConfigJson(dataDir: string, settings: StoredSettings, now: Date): void {
  const content = { installId: randomUUID(), dataDir, ...settings, createdAt: now.toISOString() };
  try {
    const text = `${JSON.stringify(content, null, 2)}\n`;
    writeWholeSync(dataDir, "config.json", text, { as: "new", durable: true });
  } catch {
    // The file exists, or the directory is not writable at the moment.
  }
}
