import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Content } from "../../ports/content.ts";

/** Prose of our own, read when it is asked for. */
export function createContentFiles(directory: string): Content {
  return {
    read: (path) => readFile(join(directory, path), "utf8"),
    async list(folder) {
      const names = await readdir(join(directory, folder));
      return names.flatMap((name) => (name.endsWith(".md") ? [name.slice(0, -3)] : [])).sort();
    },
  };
}
