import { constants, openSync, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** A link must not lead us elsewhere, and opening a pipe must not make us wait. */
const readPlainly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const directoryPlainly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY;

/** Fails with ELOOP for a link. Look at the open file, not at its path, for what it is. */
export const openToRead = (path: string): Promise<FileHandle> => open(path, readPlainly);
export const openToReadSync = (path: string): number => openSync(path, readPlainly);
export const openDirectory = (path: string): Promise<FileHandle> => open(path, directoryPlainly);

/** Whether a file or directory belongs to the user who runs this process; true where there are no users. */
export function isOurs({ uid }: Pick<Stats, "uid">): boolean {
  const own = process.getuid?.();
  return own === undefined || uid === own;
}

export function codeOf(thrown: unknown): string {
  const { code } = thrown as { code?: unknown };
  return typeof code === "string" ? code : "unknown";
}
