import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  type Stats,
} from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";

/** With these flags, opening fails for a link and does not block on a pipe. Windows has no such flags. */
const flag = (name: "O_NOFOLLOW" | "O_NONBLOCK" | "O_DIRECTORY"): number => constants[name] ?? 0;
const readFlags = constants.O_RDONLY | flag("O_NOFOLLOW") | flag("O_NONBLOCK");
const directoryFlags = constants.O_RDONLY | flag("O_NOFOLLOW") | flag("O_DIRECTORY");

/** Fails with ELOOP for a link. Check the type and size of the open file, because its path may have been replaced. */
export const openToRead = (path: string): Promise<FileHandle> => openUnfollowed(path, readFlags);
export const openDirectory = (path: string): Promise<FileHandle> => openUnfollowed(path, directoryFlags);

export function openToReadSync(path: string): number {
  const opened = openSync(path, readFlags);
  try {
    if (!constants.O_NOFOLLOW)
      refuseAnother(path, fstatSync(opened, { bigint: true }), lstatSync(path, { bigint: true }));
    return opened;
  } catch (thrown) {
    closeSync(opened);
    throw thrown;
  }
}

async function openUnfollowed(path: string, flags: number): Promise<FileHandle> {
  const opened = await open(path, flags);
  try {
    if (!constants.O_NOFOLLOW)
      refuseAnother(path, await opened.stat({ bigint: true }), await lstat(path, { bigint: true }));
    return opened;
  } catch (thrown) {
    await opened.close();
    throw thrown;
  }
}

/** Throws if the name is a link or refers to another file now. For systems that cannot refuse links. */
function refuseAnother(path: string, opened: BigIntStats, named: BigIntStats): void {
  if (!named.isSymbolicLink() && isSameFile(opened, named)) return;
  throw Object.assign(new Error(`${path} is a symbolic link`), { code: "ELOOP" });
}

/**
 * On Windows, some versions of Node report 64 bits of the volume's number for a name, but only the lower 32 for an
 * open file (https://github.com/libuv/libuv/pull/4698).
 */
export const isSameFile = (one: BigIntStats, other: BigIntStats): boolean =>
  one.ino === other.ino && BigInt.asUintN(32, one.dev) === BigInt.asUintN(32, other.dev);

/**
 * True if the user that this process runs as owns the file or directory. Always true on systems without user IDs.
 */
export function isOurs({ uid }: Pick<Stats, "uid">): boolean {
  const own = process.getuid?.();
  return own === undefined || uid === own;
}

export function codeOf(thrown: unknown): string {
  const { code } = thrown as { code?: unknown };
  return typeof code === "string" ? code : "unknown";
}

/** Reads a regular file of at most `maxBytes` without following links. Any other file throws an error with a `code`. */
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
