import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { Content } from "../../ports/content.ts";

/**
 * Reads the prose that ships with the program on demand. After `hold`, serves everything from RAM, because
 * the package may be upgraded while the server is running.
 */
export function createContentFiles(directory: string): Content & { hold(): Promise<void> } {
  const held = new Map<string, string>();

  const namesBelow = (folder: string): Promise<string[]> | string[] => {
    const inFolder = [...held.keys()].filter((path) => path.startsWith(`${folder}/`));
    return inFolder.length > 0
      ? inFolder.map((path) => path.slice(folder.length + 1)).filter((name) => !name.includes("/"))
      : readdir(join(directory, folder));
  };

  return {
    read: async (path) => held.get(path) ?? readFile(join(directory, path), "utf8"),
    async list(folder) {
      const names = await namesBelow(folder);
      return names.flatMap((name) => (name.endsWith(".md") ? [name.slice(0, -3)] : [])).sort();
    },
    async hold() {
      const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
      const paths = entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
      // Reads one file at a time, because the process may be limited to a few open files.
      for (const path of paths)
        held.set(relative(directory, path).split(sep).join("/"), await readFile(path, "utf8"));
    },
  };
}
