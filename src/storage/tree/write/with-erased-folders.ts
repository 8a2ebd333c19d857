import type { Trash } from "../../../ports/trash.ts";
import type { LedgerTree } from "../../../ports/tree.ts";
import { eraseFromTrash, moveToTrash } from "./trash.ts";

/** What is erased from the store leaves no files behind, wherever the tree was when that happened. */
export function withErasedFolders(trash: Trash, root: string, { flush }: Pick<LedgerTree, "flush">): Trash {
  return {
    ...trash,
    async emptyTrash() {
      await flush();
      const erased = await trash.emptyTrash();
      for (const { id, project } of erased.sessions) {
        moveToTrash(root, project, id);
        eraseFromTrash(root, project, id);
      }
      return erased;
    },
  };
}
