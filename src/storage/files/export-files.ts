import { lstatSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { basename, dirname, extname, join, relative, resolve, sep } from "node:path";
import { inDirectoryBelow } from "../../disk/directory-below.ts";
import { codeOf, openToRead } from "../../disk/open-without-following.ts";
import type { ExportFiles } from "../../ports/exports.ts";
import { storageFailure } from "../../ports/storage-failures.ts";
import { isBelow, readContained } from "./read-contained.ts";
import { writeFile } from "./write-file.ts";

/** JSON and Markdown name their session in their first lines. */
const headBytes = 4_096;

/** Writes and reads below the exports directory, or below a directory that the operator named; nowhere else. */
export function createExportFiles(exportsDir: string, allowedDirs: readonly string[]): ExportFiles {
  const places = [exportsDir, ...allowedDirs];

  return {
    async write({ fileName, content, destination }) {
      const path = choosePath(fileName, destination);
      const place = places.find((directory) => isBelow(directory, path));
      if (place === undefined || hasForbiddenPart(relative(place, path))) throw refuse(destination ?? path);
      const steps = relative(place, dirname(path)).split(sep).filter(Boolean);
      try {
        const own = fileName.slice(0, fileName.indexOf("."));
        await inDirectoryBelow(place, steps, (directory) =>
          writeExport(join(directory, basename(path)), content, own),
        );
      } catch (thrown) {
        if (codeOf(thrown) === "EEXIST") throw storageFailure("destination_taken", {});
        if (["ELOOP", "ENOTDIR", "ENAMETOOLONG"].includes(codeOf(thrown))) throw refuse(destination ?? path);
        throw thrown;
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

  function choosePath(fileName: string, destination: string | undefined): string {
    if (destination === undefined) return join(exportsDir, fileName);
    if (destination.includes("\0")) throw refuse(destination);
    const path = resolve(exportsDir, destination);
    const namesFile = fileEnding.test(extname(path)) && !/[\\/]$/.test(destination) && !isDirectory(path);
    return namesFile ? path : join(path, fileName);
  }
}

/** Whoever writes an ending means a file, of whatever kind; `v1.2` has none. */
const fileEnding = /^\.[a-z][a-z0-9]{0,15}$/i;

const isDirectory = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

const refuse = (destination: string) => storageFailure("destination_refused", { destination });

/** What has the name stays, unless it is an earlier export of the same session. */
async function writeExport(path: string, content: string, sessionId: string): Promise<void> {
  const earlier = await readHead(path);
  const isOwn = basename(path).startsWith(sessionId) || earlier?.includes(sessionId);
  // A cipher document names no session; one that only grew is the same one.
  const hasGrown = earlier !== undefined && earlier !== "" && content.startsWith(earlier);
  if (earlier !== undefined && !isOwn && !hasGrown) throw storageFailure("destination_taken", {});
  await writeFile(path, content, earlier === undefined ? "new" : "replace");
}

/** The beginning of a file; `undefined` when there is none. A link, or what is no file, is no export. */
async function readHead(path: string): Promise<string | undefined> {
  try {
    const file = await openToRead(path);
    try {
      if (!(await file.stat()).isFile()) return "";
      const head = Buffer.alloc(headBytes);
      const { bytesRead } = await file.read(head, 0, headBytes, 0);
      return head.toString("utf8", 0, bytesRead).replace(/\ufffd+$/, "");
    } finally {
      await file.close();
    }
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

/** Hidden folders hold other programs' settings; these two hold other people's code. */
function hasForbiddenPart(way: string): boolean {
  return way.split(sep).some((part) => part.startsWith(".") || part === "node_modules");
}
