import { mkdirSync, statSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf } from "./open-without-following.ts";

const mode = 0o700;

/**
 * A directory with all that leads to it. Node's `recursive` tries for ever where a directory is there and still refuses
 * with ENOENT to hold another, such as /proc; this fails with what the system said. What is made is its owner's alone.
 */
export function makeDirectorySync(path: string): void {
  try {
    mkdirSync(path, { mode });
  } catch (thrown) {
    if (isDirectorySync(path)) return;
    if (codeOf(thrown) !== "ENOENT" || dirname(path) === path) throw thrown;
    makeDirectorySync(dirname(path));
    makeLastSync(path);
  }
}

/** The same without keeping others waiting. */
export async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (thrown) {
    if (await isDirectory(path)) return;
    if (codeOf(thrown) !== "ENOENT" || dirname(path) === path) throw thrown;
    await makeDirectory(dirname(path));
    await makeLast(path);
  }
}

/** Another process may have made it meanwhile. */
function makeLastSync(path: string): void {
  try {
    mkdirSync(path, { mode });
  } catch (thrown) {
    if (!isDirectorySync(path)) throw thrown;
  }
}

async function makeLast(path: string): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (thrown) {
    if (!(await isDirectory(path))) throw thrown;
  }
}

function isDirectorySync(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
