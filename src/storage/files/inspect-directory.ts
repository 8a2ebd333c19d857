import {
  closeSync,
  constants,
  fdatasyncSync,
  lstatSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  statfsSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { findDirectoryFlaw } from "../../disk/make-directory.ts";
import { codeOf } from "../../disk/open-without-following.ts";
import type { DirectoryInspection } from "../../ports/upkeep.ts";

const probeName = ".thoughtbox-probe-";
const createNew = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Writes a test file to the data directory, because permissions do not prove that it is writable. If the
 * directory does not exist, creates a test folder instead. Leaves nothing behind.
 */
export function inspectDirectory(path: string): DirectoryInspection {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats)
    return {
      path,
      exists: false,
      ...tryTo(() => makeDirectory(path)),
      private: false,
      rights: "",
      freeBytes: 0,
    };
  const flaw = findDirectoryFlaw(stats);
  return {
    path,
    exists: true,
    ...(flaw === undefined ? tryTo(() => writeFileTo(path)) : { flaw }),
    // Systems without POSIX modes report that everyone may read every file.
    private: process.getuid === undefined || (stats.mode & 0o077) === 0,
    rights: (stats.mode & 0o777).toString(8),
    freeBytes: freeBytes(path),
  };
}

function tryTo(attempt: () => void): { unwritable?: string } {
  try {
    attempt();
    return {};
  } catch (thrown) {
    return { unwritable: codeOf(thrown) };
  }
}

function writeFileTo(directory: string): void {
  const probe = join(directory, `${probeName}${process.pid}`);
  const file = openSync(probe, createNew, 0o600);
  try {
    writeSync(file, "probe");
    fdatasyncSync(file);
  } finally {
    closeSync(file);
    unlinkSync(probe);
  }
}

/** Creates a test directory in the path's nearest existing ancestor, and removes it. */
function makeDirectory(path: string): void {
  let parent = dirname(path);
  while (!lstatSync(parent, { throwIfNoEntry: false }) && parent !== dirname(parent))
    parent = dirname(parent);
  rmdirSync(mkdtempSync(join(parent, probeName)));
}

function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
