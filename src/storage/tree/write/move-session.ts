import { renameSync, rmdirSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeDirectorySync } from "../../../disk/make-directory.ts";
import { codeOf } from "../../../disk/open-without-following.ts";
import { manifestName, type SessionPlace, sessionFolder } from "../../../domain/ledger/tree/layout.ts";
import { listFolder, readBytes, statOf } from "../read-file.ts";

/**
 * Brings a session's folder into the project that the store names. The store does not tell which one it came from, so
 * all are looked through; that happens only when somebody moves a session.
 */
export function moveToProject(root: string, place: SessionPlace): void {
  const folder = join(root, ...sessionFolder(place));
  for (const { name } of listFolder(join(root, "projects"))) {
    const old = join(root, "projects", name, ...sessionFolder(place).slice(2));
    if (name !== place.project && statOf(old)?.isDirectory()) moveFolder(old, folder);
  }
}

/** Files may have been written to both: a thought's are the same, a manifest is written anew. What differs stays. */
function moveFolder(from: string, to: string): void {
  if (statOf(to) === undefined) {
    makeDirectorySync(dirname(to));
    unlessGone(() => renameSync(from, to));
    return;
  }
  for (const entry of listFolder(from)) {
    const [old, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) moveFolder(old, target);
    else if (statOf(target) === undefined) unlessGone(() => renameSync(old, target));
    else if (entry.name === manifestName || isSame(old, target)) unlessGone(() => unlinkSync(old));
  }
  if (listFolder(from).length === 0) unlessGone(() => rmdirSync(from));
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [readBytes(one), readBytes(other)];
  return "bytes" in a && "bytes" in b && a.bytes.equals(b.bytes);
}

/** Another process may be doing the same. */
function unlessGone(change: () => void): void {
  try {
    change();
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") throw thrown;
  }
}
