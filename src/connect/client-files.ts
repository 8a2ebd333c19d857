import { createHash } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, readFileSync, rmdirSync, rmSync, type Stats } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { writeWholeSync } from "../disk/write-whole.ts";

/**
 * The message states why a client's file was not changed. It completes a sentence, for example "it is a
 * symbolic link".
 */
export const connectRefusal = (reason: string): Error & { refusal: true } =>
  Object.assign(new Error(reason), { refusal: true as const });

export const isConnectRefusal = (thrown: unknown): thrown is Error & { refusal: true } =>
  thrown instanceof Error && "refusal" in thrown;

const longest = 16 * 1024 * 1024;

export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * Reads a client's file. Refuses anything that is not valid UTF-8, because it could not be written back unchanged.
 * Returns `undefined` if there is no file.
 */
export function readText(path: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return undefined;
  if (!stats.isFile()) throw connectRefusal("it is not a regular file");
  if (stats.size > longest) throw connectRefusal("it is too long for a configuration file");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch {
    throw connectRefusal("it is not UTF-8 text");
  }
}

/**
 * Refuses symbolic links, because a rename would replace the link instead of the file that the user keeps elsewhere.
 */
export function refuseLinks(home: string, path: string): void {
  const steps = relative(home, path).split(sep);
  for (let index = 0; index <= steps.length; index += 1) {
    const place = join(home, ...steps.slice(0, index));
    if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink())
      throw connectRefusal(place === path ? "it is a symbolic link" : `${place} is a symbolic link`);
  }
}

export function refuseReadOnly(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats && (stats.mode & 0o222) === 0) throw connectRefusal("it is read-only");
}

/**
 * Writes a new file next to the old one and renames it. Keeps the permissions. Returns the folders that were created
 * for it.
 */
export function replaceFile(path: string, content: string): string[] {
  const rights: Stats | undefined = lstatSync(path, { throwIfNoEntry: false });
  const made = makeFolders(dirname(path));
  writeWholeSync(dirname(path), basename(path), content, { as: "replace", durable: true });
  if (rights) chmodSync(path, rights.mode & 0o777);
  return made;
}

function makeFolders(path: string): string[] {
  if (lstatSync(path, { throwIfNoEntry: false })) return [];
  const above = makeFolders(dirname(path));
  mkdirSync(path, { mode: 0o700 });
  return [...above, path];
}

export const deleteFile = (path: string): void => rmSync(path, { force: true });

/** Removes folders that we created and that are now empty, innermost first. */
export function removeEmptyFolders(folders: readonly string[]): void {
  for (const folder of [...folders].sort((a, b) => b.length - a.length))
    try {
      rmdirSync(folder);
    } catch {
      // The folder contains something else by now.
    }
}
