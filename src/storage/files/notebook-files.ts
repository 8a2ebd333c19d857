import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { sessionIdPattern } from "../../domain/ledger/limits.ts";
import { slugProject } from "../../domain/ledger/project.ts";
import { encodeSrcMd } from "../../domain/notebook/src-md/encode.ts";
import type { NotebookStore, StoredNotebook } from "../../ports/notebook-store.ts";
import { writeFile } from "./write-file.ts";

const kinds = ["src.md", "outputs.json"] as const;

/**
 * Keeps a `.src.md` file and the outputs beside every notebook, for people and their tools. The store holds the truth:
 * a file that cannot be written is reported and fails nobody.
 */
export function withNotebookFiles(
  store: NotebookStore,
  dataDir: string,
  report: (thrown: unknown) => void,
): NotebookStore {
  /** Names are held against their patterns before they touch a path. */
  function folderOf(project: string, id: string): string {
    if (slugProject(project) !== project || !sessionIdPattern.test(id))
      throw new TypeError("A notebook's project or id is no file name.");
    return join(dataDir, "projects", project, "notebooks");
  }

  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "ENOENT") report(thrown);
    }
  }

  const project = (notebook: StoredNotebook): Promise<void> =>
    attempt(async () => {
      const folder = folderOf(notebook.project, notebook.id);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(join(folder, `${notebook.id}.src.md`), encodeSrcMd(notebook));
      await writeFile(join(folder, `${notebook.id}.outputs.json`), outputsOf(notebook));
    });

  const move = (projectName: string, id: string, way: "out" | "back"): Promise<void> =>
    attempt(async () => {
      const folder = folderOf(projectName, id);
      const trash = join(folder, "trash");
      await mkdir(trash, { recursive: true, mode: 0o700 });
      const [from, to] = way === "out" ? [folder, trash] : [trash, folder];
      for (const kind of kinds) await rename(join(from, `${id}.${kind}`), join(to, `${id}.${kind}`));
    });

  return {
    ...store,
    async createNotebook(draft, once) {
      const created = await store.createNotebook(draft, once);
      await project(created);
      return created;
    },
    async changeCells(change, decide) {
      const changed = await store.changeCells(change, decide);
      if (changed) await project(changed.notebook);
      return changed;
    },
    async trashNotebook(projectName, id, at) {
      const gone = await store.trashNotebook(projectName, id, at);
      if (gone) await move(projectName, id, "out");
      return gone;
    },
    async restoreNotebook(projectName, id, at) {
      const restored = await store.restoreNotebook(projectName, id, at);
      if (restored) {
        await move(projectName, id, "back");
        await project(restored);
      }
      return restored;
    },
    async endRun(runId, result, at) {
      const notebook = await store.endRun(runId, result, at);
      if (notebook) await project(notebook);
      return notebook;
    },
  };
}

function outputsOf({ cells, runs }: StoredNotebook): string {
  const outputs = cells.flatMap(({ id }) => {
    const run = runs.get(id);
    return run ? [{ cellId: id, ...run, startedAt: new Date(run.startedAt).toISOString() }] : [];
  });
  return `${JSON.stringify(outputs, null, 2)}\n`;
}
