import { chmodSync, lstatSync, mkdirSync, type Stats, statSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, isOurs } from "./open-without-following.ts";

const mode = 0o700;

/**
 * Creates a directory and its missing parents, readable only by their owner. If a directory exists but refuses new
 * entries with ENOENT, as /proc does, Node's `recursive` retries forever. This function fails with the system's error
 * instead.
 */
export function makeDirectorySync(path: string): void {
  try {
    mkdirSync(path, { mode });
  } catch (thrown) {
    if (isDirectorySync(path)) return;
    if (codeOf(thrown) !== "ENOENT" || dirname(path) === path) throw thrown;
    makeDirectorySync(dirname(path));
    makeLastSync(path);
  }
}

export async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (thrown) {
    if (await isDirectory(path)) return;
    if (codeOf(thrown) !== "ENOENT" || dirname(path) === path) throw thrown;
    await makeDirectory(dirname(path));
    await makeLast(path);
  }
}

/** Does not fail if another process has created the directory in the meantime. */
function makeLastSync(path: string): void {
  try {
    mkdirSync(path, { mode });
  } catch (thrown) {
    if (!isDirectorySync(path)) throw thrown;
  }
}

async function makeLast(path: string): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (thrown) {
    if (!(await isDirectory(path))) throw thrown;
  }
}

function isDirectorySync(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

/** Returns why a directory cannot be trusted, as the end of a sentence, or `undefined` if it is ours. */
export function findDirectoryFlaw(stats: Stats): string | undefined {
  if (stats.isSymbolicLink()) return "is a symbolic link";
  if (!stats.isDirectory()) return "is not a directory";
  return isOurs(stats) ? undefined : "belongs to another user";
}

/** Like `findDirectoryFlaw`, but for a file. Root's files are trusted, because root can read and write everything. */
export function findFileFlaw(stats: Stats): string | undefined {
  if (stats.isSymbolicLink()) return "is a symbolic link";
  return isOurs(stats) || stats.uid === 0 ? undefined : "belongs to another user";
}

/** True if the directory is ours, or does not exist yet. */
export function isOwnDirectory(path: string): boolean {
  try {
    return findDirectoryFlaw(lstatSync(path)) === undefined;
  } catch {
    return true;
  }
}

/**
 * Removes other users' write permission. Returns true if other users had it. Throws if the permission cannot
 * be removed. On systems without POSIX modes, this function does nothing.
 */
export function keepOthersOut(path: string): boolean {
  const { mode } = lstatSync(path);
  if (process.getuid === undefined || (mode & 0o022) === 0) return false;
  try {
    chmodSync(path, mode & 0o7755);
  } catch (thrown) {
    // On a read-only file system, permissions need no change.
    if (codeOf(thrown) === "EROFS") return false;
    throw thrown;
  }
  return true;
}
