import { readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readProjectRoot } from "./disk/project-root.ts";
import { defaultProject, slugProject } from "./domain/ledger/project.ts";
import { sha256Hex } from "./kernel/sha256.ts";

/** `root` is the repository, and `name` is the project named after it. */
export type GitProject = { name: string; root: string };

type Surroundings = { cwd: string; home: string; dataDir: string };

/**
 * Finds a repository's project. If several repositories have the same name, the projects of all but the first
 * get a suffix.
 */
export function findGitProject({ cwd, home, dataDir }: Surroundings): GitProject | undefined {
  const root = findRoot(cwd);
  if (root === undefined || parentOf(root) === undefined || root === realPath(home)) return undefined;
  // Replacing spaces with hyphens is safe, because repositories with the same name get a suffix below.
  const name = slugProject(
    basename(root)
      .replace(/\.git$/, "")
      .replace(/\s+/g, "-"),
  );
  if (name === defaultProject) return undefined;
  const owner = readProjectRoot(dataDir, name);
  if (owner === undefined || owner === root) return { name, root };
  return { name: `${name.slice(0, 57)}-${sha256Hex(root).slice(0, 6)}`, root };
}

function findRoot(cwd: string): string | undefined {
  for (let folder = realOrAbove(cwd); folder !== undefined; folder = parentOf(folder)) {
    const git = join(folder, ".git");
    const found = statSync(git, { throwIfNoEntry: false });
    if (found?.isDirectory()) return folder;
    if (found?.isFile()) return mainRepository(folder, git);
  }
  return undefined;
}

/** Returns the real path of the folder, or if it was removed, of its nearest existing parent. */
function realOrAbove(path: string): string | undefined {
  const above = parentOf(path);
  return realPath(path) ?? (above === undefined ? undefined : realOrAbove(above));
}

const parentOf = (folder: string): string | undefined =>
  dirname(folder) === folder ? undefined : dirname(folder);

/** Follows a worktree's `.git` file to the main repository. A submodule counts as its own repository. */
function mainRepository(folder: string, file: string): string {
  const target = /^gitdir: (.+)$/m.exec(readShort(file) ?? "")?.[1]?.trim();
  const common = target && readShort(join(resolve(folder, target), "commondir"))?.trim();
  const git = target && common ? realPath(resolve(folder, target, common)) : undefined;
  if (git === undefined) return folder;
  return basename(git) === ".git" ? dirname(git) : git;
}

/** The maximum size of a file to read, in bytes. The files that git writes contain only one path. */
const longest = 8_192;

function readShort(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found?.isFile() && found.size <= longest ? readFileSync(file, "utf8") : undefined;
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
