import { rmSync } from "node:fs";
import { unlink } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { inDirectoryBelow, inExistingDirectory } from "../../disk/directory-below.ts";
import { codeOf } from "../../disk/open-without-following.ts";
import { writeWhole } from "../../disk/write-whole.ts";
import type { ArchivedNotebook, NotebookArchive } from "../../ports/notebook/notebook-archive.ts";
import type { NotebookStore } from "../../ports/notebook/notebook-store.ts";
import type { Trash } from "../../ports/upkeep.ts";
import { folderOf, renderFiles, suffixes } from "./notebook-folder.ts";

/**
 * Keeps a `.src.md` file and the outputs for every notebook, for people and their tools. The store is the source of
 * truth. If a file cannot be written, this is reported but no call fails.
 */
export function withNotebookFiles<Ports extends { notebooks: NotebookStore; archive: NotebookArchive }>(
  ports: Ports,
  dataDir: string,
  report: (thrown: unknown) => void,
): { notebooks: NotebookStore; archive: NotebookArchive } {
  const { notebooks: store, archive } = ports;

  async function project(notebookId: string): Promise<void> {
    try {
      const notebook = await archive.readLatest(notebookId);
      if (notebook) await writeFiles(notebook, dataDir);
    } catch (thrown) {
      report(thrown);
    }
  }

  const notebooks: NotebookStore = {
    ...store,
    async createNotebook(draft, once) {
      const created = await store.createNotebook(draft, once);
      await project(created.id);
      return created;
    },
    async changeCells(change, decide) {
      const changed = await store.changeCells(change, decide);
      if (changed) await project(changed.notebook.id);
      return changed;
    },
    async trashNotebook(projectName, id, at) {
      const gone = await store.trashNotebook(projectName, id, at);
      if (gone) await project(id);
      return gone;
    },
    async restoreNotebook(projectName, id, at) {
      const restored = await store.restoreNotebook(projectName, id, at);
      if (restored) await project(id);
      return restored;
    },
    async endRun(runId, result, at, options) {
      const notebook = await store.endRun(runId, result, at, options);
      if (notebook) await project(notebook.id);
      return notebook;
    },
  };
  return {
    notebooks,
    archive: {
      ...archive,
      async addWhole(whole) {
        const outcome = await archive.addWhole(whole);
        if (outcome === "added") await project(whole.notebook.id);
        return outcome;
      },
    },
  };
}

/** A notebook is either in its project's folder or in the project's trash, never in both. */
export async function writeFiles(notebook: ArchivedNotebook, dataDir: string): Promise<void> {
  for (const { path, content } of renderFiles(notebook))
    await inDirectoryBelow(dataDir, stepsTo(path), (folder) =>
      writeWhole(folder, basename(path), content, { as: "replace", durable: true }),
    );
  for (const path of otherPlace(notebook)) {
    const removed = inExistingDirectory(dataDir, stepsTo(path), (folder) =>
      unlink(join(folder, basename(path))),
    );
    await removed.catch((thrown) => {
      if (codeOf(thrown) !== "ENOENT") throw thrown;
    });
  }
}

const stepsTo = (path: string): string[] => dirname(path).split(sep);

export function otherPlace({ project, id, deletedAt }: ArchivedNotebook): string[] {
  const elsewhere = { project, id, deletedAt: deletedAt === undefined ? "" : undefined };
  return suffixes.map((suffix) => join(folderOf(elsewhere), id + suffix));
}

/** When a notebook is erased from the store, its files are also removed from its project's trash. */
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
