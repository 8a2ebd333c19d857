import { join } from "node:path";
import { manifestName } from "../../../domain/ledger/tree/layout.ts";
import type { TreeFiles } from "../tree-files.ts";
import type { SessionWriter } from "../write/session-writer.ts";
import { createTimeSlices } from "../write/time-slices.ts";
import type { createComparer } from "./compare-session.ts";
import type { Quarantine } from "./quarantine.ts";

type Compare = ReturnType<typeof createComparer>;

/**
 * Makes a session's folder what the store says it is; answers whether anything had to be done. With a
 * quarantine, everything that is wrong or does not belong there is set aside first. Without one only files whose place
 * is needed are; what does not belong there stays, and a folder that stands in the way makes it throw.
 */
export function createSessionRepair(compare: Compare, writer: SessionWriter, files: TreeFiles) {
  return async (sessionId: string, quarantine?: Quarantine, signal?: AbortSignal): Promise<boolean> => {
    const folder = await writer.folders.find(sessionId);
    const comparison = folder && (await compare(sessionId, signal));
    if (!folder || !comparison) return false;
    const { differences, manifest } = comparison;
    if (quarantine) {
      quarantine.clearWay(folder);
      for (const { kind, path } of differences)
        if (kind !== "missing") quarantine.take(join(...folder, path));
      if (manifest === "damaged") quarantine.take(join(...folder, manifestName));
      files.forgetFolders();
    }
    const slices = createTimeSlices();
    for (const difference of differences) {
      if (!("content" in difference)) continue;
      writer.writeAgain(folder, difference.path, difference.content);
      if (slices.isOver()) await slices.next();
    }
    if (manifest !== "good" || differences.length > 0) await writer.writeManifest(sessionId);
    return manifest !== "good" || differences.length > 0;
  };
}
