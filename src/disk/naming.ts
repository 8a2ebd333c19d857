import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, unlinkSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf } from "./open-without-following.ts";

/**
 * On Windows, a file cannot be renamed while a virus scanner, an indexer or an editor has it open. These
 * programs release the file after a moment. On other systems, the same codes mean that renaming is forbidden,
 * and waiting would only delay the answer.
 */
const heldOpen = new Set(["EPERM", "EACCES", "EBUSY"]);
const waitsMs = [5, 10, 20, 50, 100, 200, 400];

/** File systems without hard links, such as exFAT and some network drives, report one of these codes. */
const noLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EINVAL"]);

/**
 * Errors from systems that cannot sync a directory. Those systems make names durable by themselves, or not at
 * all.
 */
const noDirectorySync = new Set(["EPERM", "EACCES", "EISDIR", "EINVAL", "ENOTSUP"]);

/** Renames a file or folder. On Windows, waits for programs that have the file open. */
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
export function nameAsNewSync(draft: string, path: string): void {
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

/**
 * Reserves the name with an empty file until the draft replaces it. Used if the file system has no hard
 * links.
 */
const reserveName = (path: string): void => closeSync(openSync(path, "wx", 0o600));

/** Makes sure that a file and its name survive a power cut, as far as the system can guarantee that. */
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

/** The synchronous version of `makeDurable`. */
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
