import { lstat, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";

const ours = /^\..+\.[0-9a-f]{8}(?:-\d+)?\.tmp$/;
const surelyStaleMs = 60_000;

/**
 * Removes temporary files that a dead writer left between making and renaming them. One of a living writer may
 * go too: it notices and writes again. Files of that ending that others made must have lain for a while.
 */
export function sweepTemporaryFiles(root: string, isCancelled: () => boolean): Promise<number> {
  return sweep(root, false);

  async function sweep(folder: string, descend: boolean): Promise<number> {
    let removed = 0;
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (isCancelled()) return removed;
      const path = join(folder, entry.name);
      if (entry.isDirectory() && (descend || entry.name === "projects")) removed += await sweep(path, true);
      if (entry.isFile() && entry.name.endsWith(".tmp") && (await isStale(path, entry.name))) {
        removed += await unlink(path).then(
          () => 1,
          () => 0,
        );
      }
    }
    return removed;
  }
}

async function isStale(path: string, name: string): Promise<boolean> {
  if (ours.test(name)) return true;
  const stat = await lstat(path).catch(() => undefined);
  return stat !== undefined && Date.now() - stat.mtimeMs > surelyStaleMs;
}
