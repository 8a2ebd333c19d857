import { existsSync, rmSync } from "node:fs";
import { unlink } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { inDirectoryBelow, inExistingDirectory } from "../../disk/directory-below.ts";
import { makeDirectorySync } from "../../disk/make-directory.ts";
import { renameSafelySync } from "../../disk/naming.ts";
import { codeOf, readPlainly } from "../../disk/open-without-following.ts";
import { writeWhole } from "../../disk/write-whole.ts";
import { sessionIdPattern } from "../../domain/ledger/limits.ts";
import { slugProject } from "../../domain/ledger/project.ts";
import { notebookLimits } from "../../domain/notebook/notebook.ts";
import { encodeSrcMd } from "../../domain/notebook/src-md.ts";
import type { Clock } from "../../kernel/clock.ts";
import type {
  ArchivedNotebook,
  NotebookArchive,
  NotebookFiles,
} from "../../ports/notebook/notebook-archive.ts";
import type { NotebookStore } from "../../ports/notebook/notebook-store.ts";
import type { Trash } from "../../ports/upkeep.ts";

/**
 * The contents of the file beside a notebook's text: the cells' output and what the text format cannot
 * express.
 */
export type Beside = Pick<ArchivedNotebook, "net" | "createdAt" | "updatedAt" | "deletedAt"> & {
  cells: { id: string; version: number }[];
  runs: ArchivedNotebook["runs"];
};

export const textSuffix = ".src.md";
export const besideSuffix = ".outputs.json";
const suffixes = [textSuffix, besideSuffix] as const;
export const trashName = "trash";
/** The maximum size of a file in bytes. Enough even if every cell has printed as much as it is allowed to. */
const longestFile = 1024 * 1024 * 1024;
/** The maximum length of a notebook's text in an untrusted file, including the marks around its cells. */
export const longestText = 1.25 * notebookLimits.notebookCharacters;
/** The maximum size in bytes of an untrusted file with the output of a notebook's cells. */
export const longestOutputs = 256 * 1024 * 1024;

/** Returns a notebook's folder in the data directory. Checks the names before they become part of the path. */
function folderOf({
  project,
  id,
  deletedAt,
}: Pick<ArchivedNotebook, "project" | "id" | "deletedAt">): string {
  if (slugProject(project) !== project || !sessionIdPattern.test(id))
    throw new TypeError("A notebook's project or ID is not a valid file name.");
  const folder = join("projects", project, "notebooks");
  return deletedAt === undefined ? folder : join(folder, trashName);
}

/** Returns the files of a notebook, with their paths in the data directory. */
function renderFiles(notebook: ArchivedNotebook): { path: string; content: string }[] {
  const { id, net, createdAt, updatedAt, deletedAt, cells, runs } = notebook;
  const beside: Beside = {
    net,
    createdAt,
    updatedAt,
    ...(deletedAt !== undefined && { deletedAt }),
    cells: cells.map(({ id: cellId, version }) => ({ id: cellId, version })),
    runs,
  };
  const folder = folderOf(notebook);
  return [
    { path: join(folder, id + textSuffix), content: encodeSrcMd(notebook) },
    { path: join(folder, id + besideSuffix), content: `${JSON.stringify(beside, null, 2)}\n` },
  ];
}

/**
 * Keeps a `.src.md` file and the outputs for every notebook, for people and their tools. The store is the source of
 * truth. An error while writing a file is reported and does not fail the call.
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

/** Writes a notebook's files to its project's folder or to the project's trash, and removes them from the other. */
async function writeFiles(notebook: ArchivedNotebook, dataDir: string): Promise<void> {
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

function otherPlace({ project, id, deletedAt }: ArchivedNotebook): string[] {
  const elsewhere = { project, id, deletedAt: deletedAt === undefined ? "" : undefined };
  return suffixes.map((suffix) => join(folderOf(elsewhere), id + suffix));
}

/** Makes the trash also remove a notebook's files from its project's trash when it erases the notebook. */
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

type Difference = { path: string; problem: string; isThere: boolean };

/** Compares the files of notebooks with the store, byte by byte, and repairs them. */
export function createNotebookFiles(archive: NotebookArchive, dataDir: string, clock: Clock): NotebookFiles {
  async function* differing(): AsyncGenerator<{ notebook: ArchivedNotebook; differences: Difference[] }> {
    for (const id of await archive.listNotebookIds()) {
      const notebook = await archive.readLatest(id);
      if (notebook) yield { notebook, differences: compare(notebook, dataDir) };
    }
  }

  return {
    async findDifferences() {
      const said: string[] = [];
      for await (const { differences } of differing()) {
        const [first] = differences;
        if (first) said.push(`${first.path} ${first.problem}`);
      }
      return said;
    },
    async writeMissing() {
      for await (const { notebook, differences } of differing())
        if (differences.length > 0 && !differences.some(({ isThere }) => isThere))
          await writeFiles(notebook, dataDir);
    },
    async repair() {
      const report = { checked: 0, repaired: [] as string[], setAside: [] as string[] };
      const quarantine = join("quarantine", clock().toISOString().replace(/[:.]/g, "-"));
      for await (const { notebook, differences } of differing()) {
        report.checked += 1;
        if (differences.length === 0) continue;
        for (const { path } of differences.filter(({ isThere }) => isThere)) {
          const aside = join(quarantine, path);
          makeDirectorySync(join(dataDir, dirname(aside)));
          renameSafelySync(join(dataDir, path), join(dataDir, aside));
          report.setAside.push(aside);
        }
        await writeFiles(notebook, dataDir);
        report.repaired.push(notebook.id);
      }
      return report;
    },
  };
}

function compare(notebook: ArchivedNotebook, dataDir: string): Difference[] {
  const wrong = renderFiles(notebook).flatMap(({ path, content }): Difference[] => {
    try {
      const isSame = readPlainly(join(dataDir, path), longestFile).equals(Buffer.from(content));
      return isSame ? [] : [{ path, problem: "differs from the notebook in the store", isThere: true }];
    } catch (thrown) {
      const isThere = codeOf(thrown) !== "ENOENT" && codeOf(thrown) !== "ENOTDIR";
      return [{ path, problem: isThere ? `cannot be read (${codeOf(thrown)})` : "is missing", isThere }];
    }
  });
  const strays = otherPlace(notebook).filter((path) => existsSync(join(dataDir, path)));
  const belongs =
    notebook.deletedAt === undefined ? "is in the trash, but the notebook is not" : "belongs in the trash";
  return [...wrong, ...strays.map((path) => ({ path, problem: belongs, isThere: true }))];
}
