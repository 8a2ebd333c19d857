import { join } from "node:path";
import { manifestName } from "../../../domain/ledger/tree/layout.ts";
import type { TreeFiles } from "../tree-files.ts";
import type { SessionWriter } from "../write/session-writer.ts";
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
    if (!folder) return false;
    let differences = 0;
    const setAside = (path: string): void => {
      if (!quarantine) return;
      quarantine.take(join(...folder, path));
      files.forgetFolders();
    };
    if (quarantine) {
      quarantine.clearWay(folder);
      files.forgetFolders();
    }
    const comparison = await compare(
      sessionId,
      (difference) => {
        differences += 1;
        if (difference.kind !== "missing") setAside(difference.path);
        if ("content" in difference) writer.writeAgain(folder, difference.path, difference.content);
      },
      signal,
    );
    if (!comparison) return false;
    const { manifest } = comparison;
    if (manifest === "damaged") setAside(manifestName);
    if (manifest !== "good" || differences > 0) await writer.writeManifest(sessionId);
    return manifest !== "good" || differences > 0;
  };
}
