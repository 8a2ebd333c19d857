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
 * Files that are trusted or that contain the data. If other users can write to the directory, their access to these
 * files is removed too.
 */
const files = ["config.json", "thoughtbox.db", "thoughtbox.db-wal", "thoughtbox.db-shm"];

/**
 * Makes the data directory and its files private to this user, or throws an error that explains why that is not
 * possible.
 */
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

/** Creates the data directory. Reports every failure except a full disk as `cannot_open`. */
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
      log(`thoughtbox: other users could write to ${what}. Thoughtbox removed their permission\n`);
  } catch {
    throw storageFailure("data_dir_refused", {
      flaw: `other users can write to ${it}, and Thoughtbox cannot change that`,
    });
  }
}

/** Throws if the directory has a flaw. Changes nothing. A directory that does not exist yet has no flaw. */
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
 * Creates the database file for this user only. By itself, SQLite applies the umask, which an embedding
 * program sets, and gives its log the file's permissions. Never opens an existing file: opening and closing a
 * database that is in use would drop this process's locks on it.
 */
export function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch {
    // The file exists, or SQLite will report why it cannot be created.
  }
}
