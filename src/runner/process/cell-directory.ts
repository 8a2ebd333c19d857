import { constants } from "node:fs";
import { lstat, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeDirectory } from "../../disk/make-directory.ts";
import type { CodeFile } from "../../ports/notebook/cell-runner.ts";

const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const filenamePattern = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/;

/** The directory of a notebook's cells, made when it is needed. It stands in one that no cell can write to. */
export async function openCellDirectory(root: string, notebookId: string): Promise<string> {
  if (!idPattern.test(notebookId)) throw new TypeError("A notebook's id is no file name.");
  const directory = join(root, notebookId);
  await makeDirectory(directory);
  if (!(await lstat(directory)).isDirectory()) throw new TypeError("The directory of the cells is a link.");
  return directory;
}

/**
 * The cells as files, so that they can read each other. A cell may have put a link where its neighbour's file belongs:
 * whatever stands there is removed, never followed.
 */
export async function writeCellFiles(directory: string, files: readonly CodeFile[]): Promise<void> {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  for (const { filename, source } of files) {
    if (!filenamePattern.test(filename)) throw new TypeError("A cell's filename is none.");
    const path = join(directory, filename);
    await rm(path, { recursive: true, force: true });
    const file = await open(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600);
    try {
      await file.writeFile(source);
    } finally {
      await file.close();
    }
  }
}
