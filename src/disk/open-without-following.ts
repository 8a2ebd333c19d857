import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";

/** A link must not lead us elsewhere, and opening a pipe must not make us wait. Windows has none of these flags. */
const flag = (name: "O_NOFOLLOW" | "O_NONBLOCK" | "O_DIRECTORY"): number => constants[name] ?? 0;
const readFlags = constants.O_RDONLY | flag("O_NOFOLLOW") | flag("O_NONBLOCK");
const directoryFlags = constants.O_RDONLY | flag("O_NOFOLLOW") | flag("O_DIRECTORY");

/** Fails with ELOOP for a link. Look at the open file, not at its path, for what it is. */
export const openToRead = (path: string): Promise<FileHandle> => openUnfollowed(path, readFlags);
export const openDirectory = (path: string): Promise<FileHandle> => openUnfollowed(path, directoryFlags);

export function openToReadSync(path: string): number {
  const opened = openSync(path, readFlags);
  try {
    if (!constants.O_NOFOLLOW) refuseAnother(path, fstatSync(opened), lstatSync(path));
    return opened;
  } catch (thrown) {
    closeSync(opened);
    throw thrown;
  }
}

async function openUnfollowed(path: string, flags: number): Promise<FileHandle> {
  const opened = await open(path, flags);
  try {
    if (!constants.O_NOFOLLOW) refuseAnother(path, await opened.stat(), await lstat(path));
    return opened;
  } catch (thrown) {
    await opened.close();
    throw thrown;
  }
}

/** If the system cannot refuse links, what was opened must be what has the name, and that is not a link's own entry. */
function refuseAnother(path: string, opened: Stats, named: Stats): void {
  if (!named.isSymbolicLink() && opened.ino === named.ino && opened.dev === named.dev) return;
  throw Object.assign(new Error(`${path} is a symbolic link`), { code: "ELOOP" });
}

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
