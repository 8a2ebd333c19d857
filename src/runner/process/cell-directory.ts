import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { lstat, mkdtemp, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { makeDirectory } from "../../disk/make-directory.ts";
import { codeOf } from "../../disk/open-without-following.ts";
import type { CodeFile } from "../../ports/notebook/cell-runner.ts";

const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const filenamePattern = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/;

/**
 * The folder in a notebook's directory for files that its cells write. `node_modules` is next to this folder and is
 * read-only.
 */
export const filesFolder = "files";

/** Opens a notebook's directory and creates it if needed. Cells can write only to the files folder in it. */
export async function openCellDirectory(root: string, notebookId: string): Promise<string> {
  if (!idPattern.test(notebookId)) throw new TypeError("A notebook's ID is not a valid file name.");
  const directory = join(root, notebookId);
  const files = join(directory, filesFolder);
  await makeDirectory(directory);
  if (!(await isFolder(files))) await makeFiles(directory, files);
  if (!(await isFolder(files)))
    throw new TypeError("The folder for the notebook's files is a symbolic link.");
  await endPackageSearch(directory);
  return directory;
}

/** Writes a package.json. Node looks for a module's package.json in parent folders and stops at this one. */
async function endPackageSearch(directory: string): Promise<void> {
  try {
    await writeFile(join(directory, "package.json"), "{}\n", { flag: "wx", mode: 0o600 });
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw thrown;
  }
}

/**
 * Restores the folder if a run was interrupted while its files were replacing the old ones. If an older
 * version created the notebook, moves its files into the folder.
 */
async function makeFiles(directory: string, files: string): Promise<void> {
  if (await isFolder(`${files}.old`)) return rename(`${files}.old`, files);
  const older = (await readdir(directory)).filter((name) => name !== "node_modules");
  await makeDirectory(files);
  for (const name of older) await rename(join(directory, name), join(files, name));
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isDirectory() ?? false;
}

/**
 * Writes the cells as files, so that they can import each other. A cell may have replaced another cell's file with
 * a link. Anything with that name is removed and never followed.
 */
export async function writeCellFiles(folder: string, files: readonly CodeFile[]): Promise<void> {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  for (const { filename, source } of files) {
    if (!filenamePattern.test(filename)) throw new TypeError("A cell's filename is not valid.");
    const path = join(folder, filename);
    await removeTree(path);
    const file = await open(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600);
    try {
      await file.writeFile(source);
    } finally {
      await file.close();
    }
  }
}

/** A cell can nest folders so deeply that their path is too long for the system. `rm` descends step by step. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (thrown) {
    if (codeOf(thrown) !== "ENAMETOOLONG") throw thrown;
    await promisify(execFile)("/bin/rm", ["-rf", "--", path]);
  }
}

/**
 * Manages the folders in which cells run. They are in the data directory or, for a store in RAM, in a
 * temporary folder that is deleted with the store.
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
