import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeDirectorySync } from "../../../disk/make-directory.ts";
import { renameSafelySync } from "../../../disk/naming.ts";
import {
  isPartition,
  isSessionId,
  type SessionPlace,
  sessionFolder,
} from "../../../domain/ledger/tree/layout.ts";
import type { LedgerTree } from "../../../ports/tree.ts";
import type { Trash } from "../../../ports/upkeep.ts";
import { listFolder, statOf } from "../read-file.ts";

/** Moves a deleted session's folder out of the tree, so that an import of the tree does not restore it. */
export function moveToTrash(root: string, project: string, sessionId: string): void {
  const folder = findFolder(root, project, sessionId);
  if (folder !== undefined) move(folder, freeName(trashOf(root, project, sessionId)));
}

/**
 * Moves a restored session's folder back from the trash. If the folder is missing, everything is written
 * again from the store. Nothing is left in the trash.
 */
export function takeFromTrash(root: string, place: SessionPlace): void {
  const trash = trashOf(root, place.project, place.id);
  const folder = join(root, ...sessionFolder(place));
  if (exists(trash) && !exists(folder)) move(trash, folder);
  eraseFromTrash(root, place.project, place.id);
}

/** Erases every folder that the session left in the trash. A session may have been deleted more than once. */
export function eraseFromTrash(root: string, project: string, sessionId: string): void {
  if (!isSessionId(sessionId)) return;
  const folder = dirname(trashOf(root, project, sessionId));
  for (const { name } of listFolder(folder))
    if (name === sessionId || name.startsWith(`${sessionId}-`))
      rmSync(join(folder, name), { recursive: true, force: true });
}

const trashOf = (root: string, project: string, sessionId: string): string =>
  join(root, "trash", project, sessionId);

/** Searches all partitions, because the store does not return the partition of a deleted session. */
function findFolder(root: string, project: string, sessionId: string): string | undefined {
  if (!isSessionId(sessionId)) return undefined;
  const sessions = join(root, ...sessionFolder({ id: sessionId, project }).slice(0, -1));
  const partitions = listFolder(sessions).filter((entry) => entry.isDirectory() && isPartition(entry.name));
  const candidates = ["", ...partitions.map(({ name }) => name)].map((part) =>
    join(sessions, part, sessionId),
  );
  return candidates.find(exists);
}

function freeName(path: string): string {
  let free = path;
  for (let n = 2; exists(free); n += 1) free = `${path}-${n}`;
  return free;
}

function move(from: string, to: string): void {
  makeDirectorySync(dirname(to));
  renameSafelySync(from, to);
}

function exists(path: string): boolean {
  return statOf(path) !== undefined;
}

/**
 * Makes the trash also erase a session's folders, in the tree and in the tree's trash, when it erases the session.
 */
export function withErasedFolders(trash: Trash, root: string, { flush }: Pick<LedgerTree, "flush">): Trash {
  function eraseFolders(sessions: readonly { id: string; project: string }[]): void {
    for (const { id, project } of sessions) {
      moveToTrash(root, project, id);
      eraseFromTrash(root, project, id);
    }
  }
  return {
    ...trash,
    async eraseSessions(sessionIds) {
      await flush();
      const erased = await trash.eraseSessions(sessionIds);
      eraseFolders(erased);
      return erased;
    },
    async emptyTrash() {
      await flush();
      const erased = await trash.emptyTrash();
      eraseFolders(erased.sessions);
      return erased;
    },
  };
}
