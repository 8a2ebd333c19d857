import { isUtf8 } from "node:buffer";
import {
  closeSync,
  type Dir,
  type Dirent,
  fstatSync,
  lstatSync,
  opendirSync,
  readFileSync,
  type Stats,
} from "node:fs";
import { codeOf, openToReadSync } from "../../disk/open-without-following.ts";
import { runAtOnce, type Steps } from "../../kernel/steps.ts";

/**
 * The default limit in bytes. No valid file is longer: a manifest for a million thoughts has about forty megabytes.
 */
const longestFile = 256 * 1024 * 1024;
/** The maximum size of a thought's file. Enough for a mebibyte of text with every character escaped. */
export const longestThoughtFile = 16 * 1024 * 1024;

const namesAtOnce = 500;

export type FoundBytes = { bytes: Buffer; modifiedAt: Date } | { problem: string; missing: boolean };

/** Reads a regular file, or returns a short reason why it cannot be read. */
export function readBytes(path: string, maxBytes = longestFile): FoundBytes {
  let file: number;
  try {
    file = openToReadSync(path);
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "ELOOP") return { problem: "is a link", missing: false };
    const missing = code === "ENOENT" || code === "ENOTDIR";
    return { problem: missing ? "is missing" : `cannot be read (${code})`, missing };
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return { problem: "is not a file", missing: false };
    if (stat.size > maxBytes) return { problem: "is too long", missing: false };
    return { bytes: readFileSync(file), modifiedAt: stat.mtime };
  } catch (thrown) {
    return { problem: `cannot be read (${codeOf(thrown)})`, missing: false };
  } finally {
    closeSync(file);
  }
}

/** Decodes UTF-8. Returns `undefined` for anything else, because decoding it would hide the damage. */
export function toText(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}

/** Returns what is at a path, or `undefined` if nothing is. Does not follow links. */
export function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (thrown) {
    if (codeOf(thrown) === "ENOTDIR") return undefined;
    throw thrown;
  }
}

/** Lists a folder's entries, except hidden ones. Empty if the folder does not exist. Does not follow links. */
export const listFolder = (path: string): Dirent[] => runAtOnce(listInSteps(path));

/** Like `listFolder`, but in short steps, for a folder with any number of names. */
export function* listInSteps(path: string): Steps<Dirent[]> {
  const found: Dirent[] = [];
  let folder: Dir;
  try {
    folder = opendirSync(path, { bufferSize: namesAtOnce });
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "ENOENT" || code === "ENOTDIR") return found;
    throw thrown;
  }
  try {
    for (let entry = folder.readSync(); entry; entry = folder.readSync()) {
      if (!entry.name.startsWith(".")) found.push(entry);
      if (found.length % namesAtOnce === 0) yield;
    }
    return found;
  } finally {
    folder.closeSync();
  }
}
