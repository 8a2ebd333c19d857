import { readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeDirectorySync } from "./make-directory.ts";
import { codeOf } from "./open-without-following.ts";

/** Maps a project's name to its repository. Each name has its own file, so that claiming a name is one system call. */
const fileOf = (dataDir: string, name: string): string => join(dataDir, "roots", name);

const longestPath = 4_096;

/** Returns `undefined` if the name is free. */
export function readProjectRoot(dataDir: string, name: string): string | undefined {
  try {
    const file = fileOf(dataDir, name);
    if (statSync(file).size > longestPath) return undefined;
    return readFileSync(file, "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Claims a name for a repository. The first repository to claim a name keeps it. */
export function claimProjectRoot(dataDir: string, name: string, root: string): void {
  const file = fileOf(dataDir, name);
  try {
    makeDirectorySync(dirname(file));
    writeFileSync(file, `${root}\n`, { flag: "wx", mode: 0o600 });
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw thrown;
  }
}
