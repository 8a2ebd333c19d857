import { lstatSync, type Stats } from "node:fs";
import { type FileHandle, lstat, realpath } from "node:fs/promises";
import { basename, dirname, extname, join, relative, resolve, sep } from "node:path";
import { inDirectoryBelow } from "../../disk/directory-below.ts";
import { codeOf, openToRead } from "../../disk/open-without-following.ts";
import { writeWhole } from "../../disk/write-whole.ts";
import { ThoughtboxError } from "../../kernel/errors.ts";
import type { ExportFiles, ExportRequest } from "../../ports/content.ts";
import { storageFailure } from "../../ports/storage-failures.ts";

const longestFile = 64 * 1024 * 1024;

/**
 * Returns the text of a regular file inside one of these directories. `undefined` if the file is elsewhere, a
 * link, too large or missing. Checks the path as written, then as the file system resolves it, then the open
 * file itself.
 */
async function readContained(path: string, places: readonly string[]): Promise<string | undefined> {
  const place = places.find((directory) => isBelow(directory, path));
  if (place === undefined) return undefined;
  try {
    if (!isBelow(await realpath(place), await realpath(path))) return undefined;
    const file = await openToRead(path);
    try {
      const stat = await file.stat();
      return stat.isFile() && stat.size <= longestFile ? await file.readFile("utf8") : undefined;
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

export function isBelow(directory: string, path: string): boolean {
  const way = relative(resolve(directory), path);
  return way !== "" && !way.startsWith("..") && resolve(directory, way) === path;
}

/**
 * The number of bytes to read to recognise an export. A description of 4,000 characters may precede the part
 * that identifies it.
 */
const longestBeginning = 32_768;

/**
 * Writes and reads only inside the exports directory or a directory that the operator allowed. Inside the exports
 * directory, a server that is limited to one project uses only that project's folder.
 */
export function createExportFiles(
  exportsRoot: string,
  allowedDirs: readonly string[],
  onlyProject?: string | undefined,
): ExportFiles {
  const exportsDir = onlyProject === undefined ? exportsRoot : join(exportsRoot, onlyProject);
  const places = [exportsDir, ...allowedDirs];

  return {
    check: (request) => void findPlace(request),
    async write(request) {
      const { destination } = request;
      const { path, place } = findPlace(request);
      const file = findFileAbove(path);
      if (file !== undefined) throw storageFailure("destination_in_file", { file });
      const root = place === exportsDir ? exportsRoot : place;
      const steps = relative(root, dirname(path)).split(sep).filter(Boolean);
      try {
        await inDirectoryBelow(root, steps, (directory) => writeExport(directory, basename(path), request));
      } catch (thrown) {
        if (codeOf(thrown) === "EEXIST") throw storageFailure("destination_taken", {});
        if (["ELOOP", "ENOTDIR", "ENAMETOOLONG"].includes(codeOf(thrown))) throw refuse(destination ?? path);
        if (thrown instanceof ThoughtboxError) throw thrown;
        throw storageFailure("file_unwritable", { errno: codeOf(thrown) }, thrown);
      }
      return path;
    },
    async find(fileName) {
      const path = join(exportsDir, fileName);
      const found = await lstat(path).catch(() => undefined);
      return found?.isFile() ? path : undefined;
    },
    async read(path) {
      const text = await readContained(resolve(exportsDir, path), places);
      if (text !== undefined) return text;
      throw storageFailure("export_unreadable", { path });
    },
  };

  function findPlace({ fileName, destination }: Pick<ExportRequest, "fileName" | "destination">) {
    const path = choosePath(fileName, destination);
    const place = places.find((directory) => isBelow(directory, path));
    if (place === undefined || hasForbiddenPart(relative(place, path))) throw refuse(destination ?? path);
    return { path, place };
  }

  function choosePath(fileName: string, destination: string | undefined): string {
    if (destination === undefined) return join(exportsDir, fileName);
    if (destination.includes("\0")) throw refuse(destination);
    const path = resolve(exportsDir, destination);
    const namesFile =
      fileEnding.test(extname(path)) && !/[\\/]$/.test(destination) && !statOf(path)?.isDirectory();
    return namesFile ? path : join(path, fileName);
  }
}

/** A destination with an extension of this form is a file. In `v1.2`, `.2` is not an extension. */
const fileEnding = /^\.[a-z][a-z0-9]{0,15}$/i;

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

/** Returns the nearest existing ancestor of a path if that is a file, where a directory is needed. */
function findFileAbove(path: string): string | undefined {
  const above = dirname(path);
  if (above === path) return undefined;
  const found = statOf(above);
  if (found === undefined) return findFileAbove(above);
  return found.isFile() ? above : undefined;
}

const refuse = (destination: string) => storageFailure("destination_refused", { destination });

/**
 * Writes an export. Replaces an existing file only if it is an earlier export of the same item or the new file starts
 * with all of it. Checks again once the new file is on disk, because another file may have appeared in the meantime.
 */
async function writeExport(
  directory: string,
  name: string,
  { content, isEarlier, fileName }: ExportRequest,
): Promise<void> {
  const path = join(directory, name);
  const mayTake = async (): Promise<"new" | "replace"> => {
    const found = await look(path, content);
    if (found === undefined) return "new";
    if (found.isContained || isEarlier(found.beginning, name === fileName)) return "replace";
    throw storageFailure("destination_taken", {});
  };
  const as = await mayTake();
  await writeWhole(directory, name, content, { as, durable: true, beforeNaming: mayTake });
}

/**
 * Returns the beginning of a file, and whether `content` starts with the whole file. `undefined` if the file
 * does not exist. A link or a directory is not an export.
 */
async function look(
  path: string,
  content: readonly string[],
): Promise<{ beginning: string; isContained: boolean } | undefined> {
  try {
    const file = await openToRead(path);
    try {
      const stat = await file.stat();
      if (!stat.isFile()) return { beginning: "", isContained: false };
      const beginning = await readAt(file, 0, Math.min(stat.size, longestBeginning));
      return { beginning: toBeginning(beginning), isContained: await isContained(file, stat.size, content) };
    } finally {
      await file.close();
    }
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

const toBeginning = (bytes: Buffer): string => bytes.toString("utf8").replace(/\ufffd+$/, "");

async function isContained(file: FileHandle, size: number, content: readonly string[]): Promise<boolean> {
  let at = 0;
  for (const piece of content) {
    if (at === size) break;
    const bytes = Buffer.from(piece);
    const found = await readAt(file, at, Math.min(bytes.length, size - at));
    if (!bytes.subarray(0, size - at).equals(found)) return false;
    at += found.length;
  }
  return size > 0 && at === size;
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, position);
  return bytes.subarray(0, bytesRead);
}

/** Returns true for paths with a hidden part or `node_modules`, which belong to other programs. */
function hasForbiddenPart(way: string): boolean {
  return way.split(sep).some((part) => part.startsWith(".") || part === "node_modules");
}
