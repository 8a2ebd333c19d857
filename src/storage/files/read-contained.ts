import { realpath } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { openToRead } from "../../disk/open-without-following.ts";

const longestFile = 64 * 1024 * 1024;

/**
 * The text of a regular file below one of the places. `undefined` if it is elsewhere, a link, too large or missing.
 * Checks the path as written, then as the file system resolves it, then the open file itself.
 */
export async function readContained(path: string, places: readonly string[]): Promise<string | undefined> {
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
