import { chmodSync, lstatSync, type Stats } from "node:fs";
import { codeOf, isOurs } from "./open-without-following.ts";

/** Why a directory is not to be trusted, as the end of a sentence; `undefined` when it is ours. */
export function findDirectoryFlaw(stats: Stats): string | undefined {
  if (stats.isSymbolicLink()) return "is a symbolic link";
  if (!stats.isDirectory()) return "is not a directory";
  return isOurs(stats) ? undefined : "belongs to another user";
}

/** The same of a file that is ours to trust. Who is root needs no file to be obeyed or to read ours. */
export function findFileFlaw(stats: Stats): string | undefined {
  if (stats.isSymbolicLink()) return "is a symbolic link";
  return isOurs(stats) || stats.uid === 0 ? undefined : "belongs to another user";
}

/** Whether what lies in it may be obeyed. A directory that is not there yet is nobody else's. */
export function isOwnDirectory(path: string): boolean {
  try {
    return findDirectoryFlaw(lstatSync(path)) === undefined;
  } catch {
    return true;
  }
}

/** Takes the right to write from everybody else. True when they had it; throws when it cannot be taken. */
export function keepOthersOut(path: string): boolean {
  const { mode } = lstatSync(path);
  if ((mode & 0o022) === 0) return false;
  try {
    chmodSync(path, mode & 0o7755);
  } catch (thrown) {
    // Where nothing can be written, nobody has to be kept from it.
    if (codeOf(thrown) === "EROFS") return false;
    throw thrown;
  }
  return true;
}
