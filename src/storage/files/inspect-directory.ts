import { accessSync, constants, lstatSync, statfsSync } from "node:fs";
import { findDirectoryFlaw } from "../../disk/own-directory.ts";
import type { DirectoryInspection } from "../../ports/upkeep.ts";

/** Looks at the data directory without making or changing anything. */
export function inspectDirectory(path: string): DirectoryInspection {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return { path, exists: false, writable: false, private: false, rights: "", freeBytes: 0 };
  const flaw = findDirectoryFlaw(stats);
  return {
    path,
    exists: true,
    ...(flaw !== undefined && { flaw }),
    writable: mayWrite(path),
    private: (stats.mode & 0o077) === 0,
    rights: (stats.mode & 0o777).toString(8),
    freeBytes: freeBytes(path),
  };
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
