import { isUtf8 } from "node:buffer";
import { closeSync, type Dirent, fstatSync, lstatSync, readdirSync, readFileSync, type Stats } from "node:fs";
import { codeOf, openToReadSync } from "../../disk/open-without-following.ts";

/** A million thoughts fill a manifest of some forty megabytes; nothing honest is longer. */
const longestFile = 256 * 1024 * 1024;
/** A thought of a mebibyte, every character of it escaped, takes less. */
export const longestThoughtFile = 16 * 1024 * 1024;

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

/** `undefined` when there is nothing of that name. Links are not followed. */
export function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (thrown) {
    if (codeOf(thrown) === "ENOTDIR") return undefined;
    throw thrown;
  }
}

/** Names in a folder without the hidden ones; empty when there is no such folder. Links are not followed. */
export function listFolder(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true }).filter(({ name }) => !name.startsWith("."));
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw thrown;
  }
}
