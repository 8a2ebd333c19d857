import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where the cells of notebooks work: in the data directory, or for a store in RAM somewhere that goes with it. */
export function createCellFolders(dataDir: string | undefined) {
  let temporary: Promise<string> | undefined;
  return {
    async open(): Promise<string> {
      if (dataDir === undefined) {
        temporary ??= mkdtemp(join(tmpdir(), "thoughtbox-cells-"));
        return temporary;
      }
      const folder = join(dataDir, "cells");
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return folder;
    },
    async close(): Promise<void> {
      if (temporary) await rm(await temporary, { recursive: true, force: true });
    },
  };
}
