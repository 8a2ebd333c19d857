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

/** A million thoughts fill a manifest of some forty megabytes; nothing honest is longer. */
const longestFile = 256 * 1024 * 1024;
/** A thought of a mebibyte, every character of it escaped, takes less. */
export const longestThoughtFile = 16 * 1024 * 1024;

const namesAtOnce = 500;

export type FoundBytes = { bytes: Buffer; modifiedAt: Date } | { problem: string; missing: boolean };

/** Reads a regular file, or says in a few words why it cannot be read. */
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

/** `undefined` where the bytes are not UTF-8: decoding would cover the damage up. */
export function toText(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}

/** `undefined` if nothing has that name. Links are not followed. */
export function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (thrown) {
    if (codeOf(thrown) === "ENOTDIR") return undefined;
    throw thrown;
  }
}

/** Names in a folder without the hidden ones; empty when there is no such folder. Links are not followed. */
export const listFolder = (path: string): Dirent[] => runAtOnce(listInSteps(path));

/** The same of a folder with any number of names, in short steps. */
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
