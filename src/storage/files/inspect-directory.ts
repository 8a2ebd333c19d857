import { accessSync, constants, lstatSync, type Stats, statfsSync } from "node:fs";
import type { DirectoryInspection } from "../../ports/upkeep.ts";

/** Looks at the data directory without making or changing anything. */
export function inspectDirectory(path: string): DirectoryInspection {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return { path, exists: false, writable: false, private: false, rights: "", freeBytes: 0 };
  const flaw = findFlaw(stats);
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

function findFlaw(stats: Stats): string | undefined {
  if (stats.isSymbolicLink()) return "is a symbolic link";
  if (!stats.isDirectory()) return "is not a directory";
  const uid = process.getuid?.();
  return uid !== undefined && stats.uid !== uid ? "belongs to another user" : undefined;
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
