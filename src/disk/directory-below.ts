import { existsSync } from "node:fs";
import { type FileHandle, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { makeDirectory } from "./make-directory.ts";
import { codeOf, openDirectory } from "./open-without-following.ts";

/**
 * If the system has this folder, paths start with the open directory's entry in it. Replacing a folder on the
 * original path then has no effect.
 */
const openFiles = "/proc/self/fd";

/**
 * Walks from `root` step by step and creates missing directories. Runs `work` with a path to the last directory. On
 * Linux, the path stays valid even if someone renames the directory. Fails with ELOOP or ENOTDIR if a step is a link or
 * not a directory.
 */
export async function inDirectoryBelow<Result>(
  root: string,
  steps: readonly string[],
  work: (directory: string) => Promise<Result>,
): Promise<Result> {
  await makeDirectory(root);
  return walk(root, steps, work, async (path) => {
    await mkdir(path, { mode: 0o700 }).catch((thrown) => {
      if (codeOf(thrown) !== "EEXIST") throw thrown;
    });
  });
}

/** Like `inDirectoryBelow`, but creates nothing. Fails with ENOENT if a step is missing. */
export function inExistingDirectory<Result>(
  root: string,
  steps: readonly string[],
  work: (directory: string) => Promise<Result>,
): Promise<Result> {
  return walk(root, steps, work, async () => {});
}

async function walk<Result>(
  root: string,
  steps: readonly string[],
  work: (directory: string) => Promise<Result>,
  prepare: (path: string) => Promise<void>,
): Promise<Result> {
  // The operator chose the root, so links on the way to it are allowed.
  let held: FileHandle = await openDirectory(join(root, "."));
  let path = root;
  try {
    for (const step of steps) {
      const next = join(pathOf(held, path), step);
      await prepare(next);
      const opened = await openDirectory(next);
      await held.close();
      held = opened;
      path = join(path, step);
    }
    return await work(pathOf(held, path));
  } finally {
    await held.close();
  }
}

const pathOf = ({ fd }: FileHandle, path: string): string =>
  existsSync(openFiles) ? join(openFiles, String(fd)) : path;
