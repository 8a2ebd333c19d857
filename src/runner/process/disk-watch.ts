import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { cellLimits } from "../limits.ts";

const intervalMs = 250;

/** Resolves with "disk" once the directory holds more than a cell may write; packages are not counted. */
export async function watchDisk(directory: string, ended: AbortSignal): Promise<"disk" | undefined> {
  while (!ended.aborted) {
    await wait(intervalMs, undefined, { signal: ended }).catch(() => {});
    if (!ended.aborted && (await holdsTooMuch(directory))) return "disk";
  }
  return undefined;
}

export async function holdsTooMuch(directory: string): Promise<boolean> {
  let [bytes, entries] = [0, 0];
  const folders = [directory];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const found: Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of found) {
      entries += 1;
      if (entry.name === "node_modules" && folder === directory) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else bytes += (await lstat(path).catch(() => undefined))?.size ?? 0;
      if (bytes > cellLimits.directoryBytes || entries > cellLimits.directoryEntries) return true;
    }
  }
  return false;
}
