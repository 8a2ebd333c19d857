import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Trash } from "../../ports/trash.ts";
import { folderOf, suffixes } from "./notebook-folder.ts";

/** A notebook that is erased from the store leaves no files in the trash of its project. */
export function withErasedNotebooks(trash: Trash, dataDir: string): Trash {
  return {
    ...trash,
    async emptyTrash() {
      const erased = await trash.emptyTrash();
      for (const { id, project } of erased.notebooks)
        for (const suffix of suffixes)
          rmSync(join(dataDir, folderOf({ project, id, deletedAt: "" }), id + suffix), { force: true });
      return erased;
    },
  };
}
