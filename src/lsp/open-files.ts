import { open } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { splitText } from "../domain/actions/action.ts";
import { type LineMap, mapLines } from "../domain/actions/line-diff.ts";

const longestFile = 8 * 1024 * 1024;
const mostOpen = 500;

/** What the editor shows, which may differ from what is on disk. Lines count from 0, as editors count them. */
export function createOpenFiles() {
  const buffers = new Map<string, string>();
  return {
    set(uri: string, text: string): void {
      buffers.set(uri, text);
      const [oldest] = buffers.keys();
      if (buffers.size > mostOpen && oldest !== undefined) buffers.delete(oldest);
    },
    close: (uri: string): void => void buffers.delete(uri),
    /** For each line of the buffer the line on disk, or -1 if it is not saved. `undefined` if there is no such file. */
    async mapToDisk(uri: string): Promise<LineMap | undefined> {
      const path = pathOf(uri);
      const saved = path === undefined ? undefined : await readText(path);
      if (saved === undefined) return undefined;
      const disk = splitText(saved);
      const shown = buffers.get(uri);
      return shown === undefined || shown === saved
        ? Int32Array.from(disk.keys())
        : mapLines(disk, splitText(shown));
    },
  };
}

export function pathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}

export function isInside(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => {
    const way = relative(folder, path);
    return way !== "" && !way.startsWith("..") && join(folder, way) === path;
  });
}

async function readText(path: string): Promise<string | undefined> {
  const handle = await open(path).catch(() => undefined);
  if (!handle) return undefined;
  try {
    const stat = await handle.stat();
    return stat.isFile() && stat.size <= longestFile ? await handle.readFile("utf8") : undefined;
  } finally {
    await handle.close();
  }
}
