import { readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { codeOf } from "../../disk/open-without-following.ts";
import { sessionIdPattern } from "../../domain/ledger/limits.ts";
import { defaultProject, slugProject } from "../../domain/ledger/project.ts";
import { textSuffix, trashName } from "./notebook-folder.ts";

export type FoundNotebook = { id: string; project: string; folder: string };

/**
 * Every notebook below a directory, which may be a data directory or any folder of the tree down to the notebooks of
 * one project. Links are not followed. The order is by path, so that two runs do the same.
 */
export function findNotebooks(directory: string): FoundNotebook[] {
  const root = resolve(directory);
  return [root, ...foldersIn(root), ...foldersIn(join(root, "projects"))]
    .flatMap((folder) => (basename(folder) === "notebooks" ? [folder] : [join(folder, "notebooks")]))
    .filter((folder, index, all) => all.indexOf(folder) === index)
    .flatMap((folder) =>
      [folder, join(folder, trashName)].flatMap((place) => notebooksIn(place, projectOf(folder, root))),
    );
}

/** The project is read from the path, wherever in it the reading began; `projects` itself may be called otherwise. */
function projectOf(notebooks: string, root: string): string {
  const project = dirname(notebooks);
  const isBelowProjects = basename(dirname(project)) === "projects" || dirname(project) === root;
  return isBelowProjects ? slugProject(basename(project)) : defaultProject;
}

function notebooksIn(folder: string, project: string): FoundNotebook[] {
  return entriesOf(folder).flatMap((entry) => {
    const id = entry.name.slice(0, -textSuffix.length);
    const isNotebook = entry.isFile() && entry.name.endsWith(textSuffix) && sessionIdPattern.test(id);
    return isNotebook ? [{ id, project, folder }] : [];
  });
}

const foldersIn = (folder: string): string[] =>
  entriesOf(folder).flatMap((entry) => (entry.isDirectory() ? [join(folder, entry.name)] : []));

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "ENOTDIR") return [];
    throw thrown;
  }
}
