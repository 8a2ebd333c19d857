import { join } from "node:path";
import { sessionIdPattern } from "../../domain/ledger/limits.ts";
import { slugProject } from "../../domain/ledger/project.ts";
import { notebookLimits } from "../../domain/notebook/notebook.ts";
import { encodeSrcMd } from "../../domain/notebook/src-md.ts";
import type { ArchivedNotebook } from "../../ports/notebook/notebook-archive.ts";

/** The file beside a notebook's text: what its format cannot express, and the output of its cells. */
export type Beside = Pick<ArchivedNotebook, "net" | "createdAt" | "updatedAt" | "deletedAt"> & {
  cells: { id: string; version: number }[];
  runs: ArchivedNotebook["runs"];
};

export const textSuffix = ".src.md";
export const besideSuffix = ".outputs.json";
export const suffixes = [textSuffix, besideSuffix] as const;
export const trashName = "trash";
/** Enough if every cell has printed as much as allowed. */
export const longestFile = 1024 * 1024 * 1024;
/** A limit for untrusted files: a notebook's text with the marks around its cells. */
export const longestText = 1.25 * notebookLimits.notebookCharacters;
/** A limit for untrusted files: the output of its cells. */
export const longestOutputs = 256 * 1024 * 1024;

/** A path below the data directory. Names are checked against their patterns before they become a path. */
export function folderOf({
  project,
  id,
  deletedAt,
}: Pick<ArchivedNotebook, "project" | "id" | "deletedAt">): string {
  if (slugProject(project) !== project || !sessionIdPattern.test(id))
    throw new TypeError("A notebook's project or ID is not a valid file name.");
  const folder = join("projects", project, "notebooks");
  return deletedAt === undefined ? folder : join(folder, trashName);
}

/** The files of a notebook, with their paths below the data directory. */
export function renderFiles(notebook: ArchivedNotebook): { path: string; content: string }[] {
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
