import { randomUUID } from "node:crypto";
import { readdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { makeDirectorySync } from "./make-directory.ts";
import { readPlainly } from "./open-without-following.ts";
import { writeWholeSync } from "./write-whole.ts";

const folderOf = (dataDir: string): string => join(dataDir, "run", "observatories");
const longest = 4_096;
const mostRead = 32;

/**
 * Writes the address of this process's Observatory to a file, so that other processes find it on any port. Returns a
 * function that removes the file. The Observatory works even if the file cannot be written.
 */
export function noteObservatory(dataDir: string, url: string): () => void {
  const name = `${randomUUID()}.json`;
  try {
    makeDirectorySync(folderOf(dataDir));
    writeWholeSync(folderOf(dataDir), name, JSON.stringify({ url }), { as: "replace", durable: false });
  } catch {
    return () => {};
  }
  return () => remove(join(folderOf(dataDir), name));
}

/**
 * Returns the recorded addresses. A killed process leaves its file behind, so the caller must check each address
 * and can forget it.
 */
export function readObservatories(dataDir: string): { url: string; forget(): void }[] {
  return listNames(dataDir).flatMap((name) => {
    const path = join(folderOf(dataDir), name);
    try {
      const { url } = JSON.parse(readPlainly(path, longest).toString("utf8"));
      // Anything else was not written by Thoughtbox.
      if (!/^http:\/\/[\w.:[\]-]+$/.test(url)) return [];
      return [{ url, forget: () => remove(path) }];
    } catch {
      return [];
    }
  });
}

function listNames(dataDir: string): string[] {
  try {
    const names = readdirSync(folderOf(dataDir));
    return names.filter((name) => /^[\da-f-]+\.json$/.test(name)).slice(0, mostRead);
  } catch {
    return [];
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Another process removed the file, or this one is not allowed to write.
  }
}
