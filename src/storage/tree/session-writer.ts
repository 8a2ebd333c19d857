import { chainFolder, manifestName, thoughtFileName } from "../../domain/ledger/tree/layout.ts";
import { type Manifest, renderManifest, toManifest } from "../../domain/ledger/tree/manifest.ts";
import { renderThoughtFile, type SealedThought } from "../../domain/ledger/tree/thought-file.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { LedgerSource } from "./ledger-source.ts";
import { createSessionFolders } from "./session-folders.ts";
import type { TreeFiles } from "./tree-files.ts";

export type SessionWriter = ReturnType<typeof createSessionWriter>;

/**
 * Writes a session's files from what the store says of it now. Any process may do so at any time: the same
 * thought always gives the same file, and a manifest that comes late is written again with the next change.
 */
export function createSessionWriter(source: LedgerSource, files: TreeFiles, clock: Clock) {
  const folders = createSessionFolders(source);

  /** What the manifest must say; `undefined` for a session that is gone. */
  async function describe(sessionId: string): Promise<Manifest | undefined> {
    const [record, head, index] = await Promise.all([
      source.readSession(sessionId),
      source.readHead(sessionId),
      source.loadIndex(sessionId),
    ]);
    return record && head && toManifest({ record, head, index }, clock());
  }

  return {
    folders,
    describe,
    /** Does nothing for a session that is gone. */
    async writeThought(entry: SealedThought): Promise<void> {
      const folder = await folders.find(entry.sessionId);
      if (!folder) return;
      const { branchId, thoughtNumber } = entry.data;
      files.write(
        [...folder, ...chainFolder(branchId)],
        thoughtFileName(thoughtNumber),
        renderThoughtFile(entry),
      );
    },
    async writeManifest(sessionId: string): Promise<void> {
      const folder = await folders.find(sessionId);
      const manifest = await describe(sessionId);
      if (folder && manifest) files.write(folder, manifestName, renderManifest(manifest));
    },
  };
}
