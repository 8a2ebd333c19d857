import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { codeOf, readPlainly } from "../../disk/open-without-following.ts";
import { sessionIdPattern } from "../../domain/ledger/limits.ts";
import { defaultProject, slugProject } from "../../domain/ledger/project.ts";
import { adoptCells } from "../../domain/notebook/cell-content.ts";
import { besideSchema, notebookLimits } from "../../domain/notebook/notebook.ts";
import { decodeSrcMd } from "../../domain/notebook/src-md.ts";
import { parseJsonInSteps } from "../../kernel/json/parse-in-steps.ts";
import { isHeavier } from "../../kernel/json/walk-json.ts";
import { runInTurns } from "../../kernel/steps.ts";
import type {
  NotebookArchive,
  NotebookReport,
  WholeNotebook,
} from "../../ports/notebook/notebook-archive.ts";
import {
  type Beside,
  besideSuffix,
  longestOutputs,
  longestText,
  textSuffix,
  trashName,
} from "./notebook-files.ts";

const bytesACharacter = 3;
/** The maximum number of JSON values in a file. Enough for all cells and their runs. */
const mostValues = 500_000;

type Options = { newId: () => string; signal?: AbortSignal | undefined };

type FoundNotebook = { id: string; project: string; folder: string };

/**
 * Finds every notebook in a directory. The directory may be a data directory or any folder in the tree, down
 * to the notebooks of one project. Does not follow links. Sorts the notebooks by path, so that the order is
 * always the same.
 */
function findNotebooks(directory: string): FoundNotebook[] {
  const root = resolve(directory);
  return [root, ...foldersIn(root), ...foldersIn(join(root, "projects"))]
    .flatMap((folder) => (basename(folder) === "notebooks" ? [folder] : [join(folder, "notebooks")]))
    .filter((folder, index, all) => all.indexOf(folder) === index)
    .flatMap((folder) =>
      [folder, join(folder, trashName)].flatMap((place) => notebooksIn(place, projectOf(folder, root))),
    );
}

/**
 * Returns the project that the path names, wherever in the tree the search started. The `projects` folder
 * itself may have another name.
 */
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

/**
 * Imports notebooks from a tree of files. Cells keep their IDs, versions and outputs if the file beside the text
 * contains them. Older versions of a cell are not in any file.
 */
export async function importNotebooks(
  archive: NotebookArchive,
  directory: string,
  { newId, signal }: Options,
): Promise<NotebookReport> {
  const report: NotebookReport = { added: 0, kept: 0, refused: [] };
  for (const found of findNotebooks(directory)) {
    signal?.throwIfAborted();
    try {
      const outcome = await archive.addWhole(await readNotebook(found, { newId, signal }));
      if (outcome === "refused")
        report.refused.push({
          notebookId: found.id,
          reason: "the store has a different notebook with this ID",
        });
      else report[outcome] += 1;
    } catch (thrown) {
      if (!(thrown instanceof Error)) throw thrown;
      report.refused.push({ notebookId: found.id, reason: thrown.message });
    }
  }
  return report;
}

async function readNotebook(
  { id, project, folder }: FoundNotebook,
  { newId, signal }: Options,
): Promise<WholeNotebook> {
  const path = join(folder, id + textSuffix);
  const text = readPlainly(path, bytesACharacter * longestText).toString("utf8");
  if (text.length > longestText) throw new TypeError("is too long");
  const { language, tsconfig, cells: contents } = decodeSrcMd(text);
  if (contents.length > notebookLimits.cells)
    throw new TypeError(`has more than ${notebookLimits.cells} cells`);
  const beside = await readBeside(join(folder, id + besideSuffix), contents.length, signal);
  const modified = statSync(path).mtime.toISOString();
  const { net = false, createdAt = modified, updatedAt = modified, deletedAt } = beside ?? {};
  const cells = adoptCells(contents, language, newId).map((cell, index) => ({
    ...cell,
    ...beside?.cells[index],
  }));
  const notebook = {
    id,
    project,
    language,
    net,
    createdAt,
    updatedAt,
    ...(tsconfig !== undefined && { tsconfig }),
    ...(deletedAt !== undefined && { deletedAt }),
    cells: cells.map(({ id: cellId, version }) => ({ id: cellId, version })),
  };
  const versions = cells.map(({ id: cellId, version, ...content }, position) => ({
    cellId,
    version,
    position,
    at: updatedAt,
    content,
  }));
  return { notebook, versions, runs: beside?.runs ?? [] };
}

/** Reads the file beside a text. Returns `undefined` if it is missing, damaged, or has another number of cells. */
async function readBeside(
  path: string,
  cellCount: number,
  signal: AbortSignal | undefined,
): Promise<Beside | undefined> {
  let text: string;
  try {
    text = readPlainly(path, longestOutputs).toString("utf8");
  } catch {
    return undefined;
  }
  const parsed = await runInTurns(parseJsonInSteps(text), signal);
  if (!parsed || isHeavier(parsed.value, { values: mostValues, characters: text.length })) return undefined;
  const beside = besideSchema.safeParse(parsed.value).data;
  return beside?.cells.length === cellCount ? beside : undefined;
}
