import { open } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../../../disk/open-without-following.ts";
import { chainFolder, manifestName, thoughtFileName } from "../../../domain/ledger/tree/layout.ts";
import type { LedgerSource, ProjectionMarks } from "../../../ports/projection-book.ts";
import type { SessionFolders } from "./session-writer.ts";

const pageSize = 200;
/** The number of files to sync at once. Concurrent syncs share their cost, but other work needs threads too. */
const atOnce = 3;

/**
 * Syncs the files for everything between the two marks. Runs in the background. Until the sync finishes, a
 * power cut may lose files up to the projected mark. The next start writes these files again.
 */
export function createDurability(source: LedgerSource, folders: SessionFolders, root: string) {
  return async ({ projected, durable }: ProjectionMarks, isInterrupted: () => boolean): Promise<number> => {
    let reached = durable;
    while (reached < projected) {
      const page = (await source.feed.readFeed(reached, pageSize)).filter(({ seq }) => seq <= projected);
      const paths = new Set<string>();
      for (const entry of page) {
        if (entry.kind === "memory") continue;
        const folder = await folders.find(entry.sessionId);
        if (!folder) continue;
        const steps =
          entry.kind === "thought" ? [...folder, ...chainFolder(entry.entry.data.branchId)] : folder;
        if (entry.kind === "thought")
          paths.add(join(root, ...steps, thoughtFileName(entry.entry.data.thoughtNumber)));
        paths.add(join(root, ...folder, manifestName));
        for (let depth = 0; depth <= steps.length; depth += 1)
          paths.add(join(root, ...steps.slice(0, depth)));
      }
      if (!(await syncAll([...paths], isInterrupted))) return reached;
      reached = page.length < pageSize ? projected : (page.at(-1)?.seq ?? projected);
    }
    return reached;
  };
}

/** Syncs files before the folders that contain them. Returns false if the sync was interrupted. */
async function syncAll(paths: readonly string[], isInterrupted: () => boolean): Promise<boolean> {
  const waiting = [...paths].sort((a, b) => b.length - a.length);
  while (waiting.length > 0) {
    if (isInterrupted()) return false;
    await Promise.all(waiting.splice(0, atOnce).map(syncOne));
  }
  return true;
}

const missing = new Set(["ENOENT", "ENOTDIR"]);
const notSyncable = new Set(["EISDIR", "EPERM", "EINVAL", "EACCES"]);

async function syncOne(path: string): Promise<void> {
  // Windows can only sync files that are open for writing. Linux and macOS can sync folders too, but a folder can
  // only be opened for reading.
  for (const flags of ["r", "r+"]) {
    try {
      const file = await open(path, flags);
      try {
        return await file.sync();
      } finally {
        await file.close();
      }
    } catch (thrown) {
      if (missing.has(codeOf(thrown))) return;
      if (!notSyncable.has(codeOf(thrown))) throw thrown;
    }
  }
}
