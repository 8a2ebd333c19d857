import { randomUUID } from "node:crypto";
import {
  type BigIntStats,
  closeSync,
  constants,
  fdatasyncSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { open, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf } from "./open-without-following.ts";

/**
 * On Windows, a file cannot be renamed while a virus scanner, an indexer or an editor has it open. They release it
 * after a moment. On other systems, the same codes mean that renaming is forbidden, and waiting would only delay the
 * answer.
 */
const heldOpen = new Set(["EPERM", "EACCES", "EBUSY"]);
const waitsMs = [5, 10, 20, 50, 100, 200, 400];

/** File systems without hard links, such as exFAT and some network drives, refuse with one of these. */
const noLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EINVAL"]);

/** Errors from systems that cannot sync a directory. Such systems make names durable by themselves, or not at all. */
const noDirectorySync = new Set(["EPERM", "EACCES", "EISDIR", "EINVAL", "ENOTSUP"]);

/** Renames a file or folder. On Windows, waits for programs that have it open. */
export function renameSafelySync(from: string, to: string): void {
  for (const waitMs of process.platform === "win32" ? waitsMs : []) {
    try {
      renameSync(from, to);
      return;
    } catch (thrown) {
      if (!heldOpen.has(codeOf(thrown))) throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs);
    }
  }
  renameSync(from, to);
}

/** Moves a finished draft to `path`. Fails with EEXIST if that path exists. */
function nameAsNewSync(draft: string, path: string): void {
  try {
    linkSync(draft, path);
    unlinkSync(draft);
  } catch (thrown) {
    if (!noLinks.has(codeOf(thrown))) throw thrown;
    reserveName(path);
    try {
      renameSafelySync(draft, path);
    } catch (cause) {
      rmSync(path, { force: true });
      throw cause;
    }
  }
}

/** Without hard links, an empty file reserves the name until the draft replaces it. */
const reserveName = (path: string): void => closeSync(openSync(path, "wx", 0o600));

/** Makes a file survive a power cut under its name, as far as the system can guarantee that. */
export async function makeDurable(path: string): Promise<void> {
  // Windows can only sync files that are open for writing.
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  syncDirectory(dirname(path));
}

/** The synchronous version. */
export function makeDurableSync(path: string): void {
  syncSync(path, "r+");
  syncDirectory(dirname(path));
}

function syncDirectory(path: string): void {
  try {
    syncSync(path, "r");
  } catch (thrown) {
    if (!noDirectorySync.has(codeOf(thrown))) throw thrown;
  }
}

function syncSync(path: string, flags: "r" | "r+"): void {
  const opened = openSync(path, flags);
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** O_EXCL already refuses links, so Windows is safe without O_NOFOLLOW. */
const createNew = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

export type WriteOptions = {
  /**
   * `replace`: replaces an existing file. `new`: fails with EEXIST if one exists. Readers see the file only with its
   * whole content.
   */
  as: "replace" | "new";
  /** Sync the content to disk before the file gets its name. */
  durable: boolean;
};

type AsyncWriteOptions = WriteOptions & {
  /**
   * Called before the file gets its name, for a last check of the file it would replace. If it throws, nothing is
   * written.
   */
  beforeNaming?: () => Promise<unknown>;
};

const draftOf = (directory: string, name: string): string => join(directory, `.${name}.${randomUUID()}.tmp`);

const giveName = (draft: string, path: string, as: WriteOptions["as"]): void =>
  as === "replace" ? renameSafelySync(draft, path) : nameAsNewSync(draft, path);

/** Writes the whole file or nothing. No reader sees a partial file, and only its owner can read it. */
export async function writeWhole(
  directory: string,
  name: string,
  content: string | readonly string[] | ((empty: BigIntStats) => string),
  { as, durable, beforeNaming }: AsyncWriteOptions,
): Promise<void> {
  const [draft, path] = [draftOf(directory, name), join(directory, name)];
  const file = await open(draft, createNew, 0o600);
  try {
    try {
      const text = typeof content === "function" ? content(await file.stat({ bigint: true })) : content;
      for (const piece of typeof text === "string" ? [text] : text) await file.writeFile(piece);
      if (durable) await file.datasync();
    } finally {
      await file.close();
    }
    await beforeNaming?.();
    giveName(draft, path, as);
  } catch (thrown) {
    await unlink(draft).catch(() => {});
    throw thrown;
  }
}

/** For many small files, and for code that cannot wait. */
export function writeWholeSync(
  directory: string,
  name: string,
  content: string,
  { as, durable }: WriteOptions,
  draft = draftOf(directory, name),
): void {
  const path = join(directory, name);
  const file = openSync(draft, createNew, 0o600);
  try {
    try {
      writeFileSync(file, content);
      if (durable) fdatasyncSync(file);
    } finally {
      closeSync(file);
    }
    giveName(draft, path, as);
  } catch (thrown) {
    try {
      unlinkSync(draft);
    } catch {
      // The draft is left behind. A later start deletes it.
    }
    throw thrown;
  }
}
