import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeDirectory } from "../disk/make-directory.ts";
import { removeTree } from "./process/cell-directory.ts";

/**
 * The folders in which cells run: in the data directory or, for a store in RAM, in a temporary folder that is deleted
 * with it.
 */
export function createCellFolders(dataDir: string | undefined) {
  let temporary: Promise<string> | undefined;
  return {
    async open(): Promise<string> {
      if (dataDir === undefined) {
        temporary ??= mkdtemp(join(tmpdir(), "thoughtbox-cells-"));
        return temporary;
      }
      const folder = join(dataDir, "cells");
      await makeDirectory(folder);
      return folder;
    },
    async close(): Promise<void> {
      if (temporary) await removeTree(await temporary);
    },
  };
}
