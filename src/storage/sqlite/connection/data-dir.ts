import { closeSync, lstatSync, openSync } from "node:fs";
import { join } from "node:path";
import {
  findDirectoryFlaw,
  findFileFlaw,
  keepOthersOut,
  makeDirectorySync,
} from "../../../disk/make-directory.ts";
import { codeOf } from "../../../disk/open-without-following.ts";
import { storageFailure } from "../../../ports/storage-failures.ts";

/**
 * Files that are trusted or contain everything. If other users could write to the directory, they lose access
 * to these.
 */
const files = ["config.json", "thoughtbox.db", "thoughtbox.db-wal", "thoughtbox.db-shm"];

/** Makes the data directory and its files ours and private, or says why they cannot be. */
export function prepareDataDir(path: string, log: (line: string) => void): void {
  if (!lstatSync(path, { throwIfNoEntry: false })) makeDataDir(path);
  refuseFlawedDataDir(path);
  takeFromOthers(path, `the data directory ${path}`, "it", log);
  for (const name of files) {
    const file = join(path, name);
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (!stats) continue;
    const flaw = findFileFlaw(stats);
    if (flaw !== undefined) throw storageFailure("data_dir_refused", { flaw: `its ${name} ${flaw}` });
    takeFromOthers(file, file, `its ${name}`, log);
  }
}

/** Whatever the system calls it, there is no store to read: that nothing can be written would be half of it. */
function makeDataDir(path: string): void {
  try {
    makeDirectorySync(path);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOSPC") throw thrown;
    throw storageFailure("store_failed", { trouble: "cannot_open" }, thrown);
  }
}

function takeFromOthers(path: string, what: string, it: string, log: (line: string) => void): void {
  try {
    if (keepOthersOut(path))
      log(`thoughtbox: other users could write to ${what}. Their permission was removed\n`);
  } catch {
    throw storageFailure("data_dir_refused", {
      flaw: `other users may write to ${it}, and that cannot be changed`,
    });
  }
}

/** Looks only; a directory that is not there yet has no flaw. */
export function refuseFlawedDataDir(path: string): void {
  const flaw = findFlaw(path);
  if (flaw !== undefined) throw storageFailure("data_dir_refused", { flaw: `it ${flaw}` });
}

function findFlaw(path: string): string | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found && findDirectoryFlaw(found);
  } catch (thrown) {
    return `cannot be reached (${(thrown as NodeJS.ErrnoException).code})`;
  }
}

/**
 * SQLite would make the file as the umask says, and its log like the file; a program that embeds us has its own.
 * Only ever makes it: to open and close a database that is in use would drop this process's locks on it.
 */
export function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch {
    // It is there, or SQLite will say why it cannot be made.
  }
}
