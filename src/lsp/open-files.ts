import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { splitText } from "../domain/actions/action.ts";
import { type LineMap, mapLines } from "../domain/actions/line-diff.ts";

const longestFile = 8 * 1024 * 1024;
/** The longest URI of a file, in characters. */
const longestUri = 16_384;
const mostOpen = 500;
const mostCharacters = 64 * 1024 * 1024;

/** Keeps the editor's buffers, which may differ from the files on disk. Lines count from 0, as in editors. */
export function createOpenFiles() {
  const buffers = new Map<string, string>();
  /** The last comparison. Cached, because an editor asks about the same file many times. */
  let last: { saved: string; shown: string; map: LineMap } | undefined;
  let held = 0;

  function close(uri: string): void {
    held -= buffers.get(uri)?.length ?? 0;
    buffers.delete(uri);
  }

  return {
    /** If there are too many buffers, drops the oldest one. The file on disk is then used instead. */
    set(uri: string, text: string): void {
      close(uri);
      if (uri.length > longestUri) return;
      buffers.set(uri, text);
      held += text.length;
      for (const oldest of buffers.keys())
        if (buffers.size > mostOpen || held > mostCharacters) close(oldest);
        else break;
    },
    close,
    /**
     * Maps each line in the buffer to its line on disk, or -1 if it is not saved. `undefined` if there is no such file.
     */
    async mapToDisk(uri: string): Promise<LineMap | undefined> {
      const path = pathOf(uri);
      const saved = path === undefined ? undefined : await readText(path);
      if (saved === undefined) return undefined;
      const disk = splitText(saved);
      const shown = buffers.get(uri);
      if (shown === undefined || shown === saved) return Int32Array.from(disk.keys());
      if (last?.saved !== saved || last.shown !== shown)
        last = { saved, shown, map: mapLines(disk, splitText(shown)) };
      return last.map;
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

/** Flags that follow no links, as git follows none either, and that do not block if the file is a pipe. */
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function readText(path: string): Promise<string | undefined> {
  const handle = await open(path, readFlags).catch(() => undefined);
  if (!handle) return undefined;
  try {
    const stat = await handle.stat();
    return stat.isFile() && stat.size <= longestFile ? await handle.readFile("utf8") : undefined;
  } finally {
    await handle.close();
  }
}
