import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** A link must not lead us elsewhere, and opening a pipe must not make us wait. */
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const directoryFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY;

/** Fails with ELOOP for a link. Look at the open file, not at its path, for what it is. */
export const openToRead = (path: string): Promise<FileHandle> => open(path, readFlags);
export const openToReadSync = (path: string): number => openSync(path, readFlags);
export const openDirectory = (path: string): Promise<FileHandle> => open(path, directoryFlags);

/** Whether a file or directory belongs to the user who runs this process; true where there are no users. */
export function isOurs({ uid }: Pick<Stats, "uid">): boolean {
  const own = process.getuid?.();
  return own === undefined || uid === own;
}

export function codeOf(thrown: unknown): string {
  const { code } = thrown as { code?: unknown };
  return typeof code === "string" ? code : "unknown";
}

/** A regular file of at most `maxBytes`, links not followed; throws with a `code` otherwise. */
export function readPlainly(path: string, maxBytes: number): Buffer {
  const file = openToReadSync(path);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw Object.assign(new Error("is not a file"), { code: "EISDIR" });
    if (stat.size > maxBytes) throw Object.assign(new Error("is too long"), { code: "EFBIG" });
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}
