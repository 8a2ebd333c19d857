import { lstat, mkdir } from "node:fs/promises";
import { dirname, extname, join, relative, resolve, sep } from "node:path";
import { ThoughtboxError } from "../../kernel/errors.ts";
import { quote } from "../../kernel/text.ts";
import type { ExportFiles } from "../../ports/exports.ts";
import { isBelow, readContained } from "./read-contained.ts";
import { writeWhole } from "./write-whole.ts";

/** Writes and reads below the exports directory, or below a directory that the operator named; nowhere else. */
export function createExportFiles(exportsDir: string, allowedDirs: readonly string[]): ExportFiles {
  const places = [exportsDir, ...allowedDirs];

  return {
    async write({ fileName, content, destination }) {
      const path = choosePath(fileName, destination);
      const place = places.find((directory) => isBelow(directory, path));
      if (place === undefined || hasForbiddenPart(relative(place, path))) throw refuse(destination ?? path);
      await prepareDirectory(place, dirname(path));
      await refuseLink(path);
      await writeWhole(path, content);
      return path;
    },
    async read(path) {
      const text = await readContained(resolve(exportsDir, path), places);
      if (text !== undefined) return text;
      throw new ThoughtboxError("INVALID_PAYLOAD", `There is no export ${quote(path)} that may be read.`, {
        recovery: { hint: "Put the file into the exports directory, or pass its text as content." },
      });
    },
  };

  function choosePath(fileName: string, destination: string | undefined): string {
    if (destination === undefined) return join(exportsDir, fileName);
    if (destination.includes("\0")) throw refuse(destination);
    const path = resolve(exportsDir, destination);
    return extname(path) === extname(fileName) ? path : join(path, fileName);
  }

  function refuse(destination: string): ThoughtboxError {
    return new ThoughtboxError("INVALID_PAYLOAD", `destination ${quote(destination)} is not allowed.`, {
      recovery: {
        hint: "Name a folder inside the exports directory, or let the operator add one to THOUGHTBOX_EXPORT_DIRS.",
      },
    });
  }

  /** Every step of the way must be a real directory: a link could lead anywhere. */
  async function prepareDirectory(place: string, directory: string): Promise<void> {
    await mkdir(place, { recursive: true, mode: 0o700 });
    const steps = relative(place, directory).split(sep).filter(Boolean);
    let current = place;
    for (const step of steps) {
      current = join(current, step);
      await mkdir(current, { mode: 0o700 }).catch(ignoreExisting);
      if (!(await lstat(current)).isDirectory()) throw refuse(current);
    }
  }

  async function refuseLink(path: string): Promise<void> {
    const stat = await lstat(path).catch(() => undefined);
    if (stat && !stat.isFile()) throw refuse(path);
  }
}

/** Hidden folders hold other programs' settings; these two hold other people's code. */
function hasForbiddenPart(way: string): boolean {
  return way.split(sep).some((part) => part.startsWith(".") || part === "node_modules");
}

function ignoreExisting(thrown: NodeJS.ErrnoException): void {
  if (thrown.code !== "EEXIST") throw thrown;
}
