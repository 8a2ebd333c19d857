import type { Dirent } from "node:fs";
import { lstat, readdir, readFile, readlink, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { SpareDisk } from "../limits.ts";
import { removeTree } from "./cell-directory.ts";

const intervalMs = 250;

type Measure = { bytes: number; entries: number };

/** Resolves with "disk" once `isTooMuch` resolves with true. */
export async function watchDisk(
  isTooMuch: () => Promise<boolean>,
  ended: AbortSignal,
): Promise<"disk" | undefined> {
  while (!ended.aborted) {
    await wait(intervalMs, undefined, { signal: ended }).catch(() => {});
    if (!ended.aborted && (await isTooMuch())) return "disk";
  }
  return undefined;
}

/** Returns whether the folder exceeds the limit, including deleted files that the process still has open. */
export async function holdsTooMuch(folder: string, pid: number | undefined, most: Measure): Promise<boolean> {
  let [bytes, entries] = [await nameless(pid), 0];
  for await (const { size } of filesIn(folder)) {
    bytes += size;
    entries += 1;
    if (entries > most.entries) return true;
  }
  return bytes > most.bytes;
}

/** Removes the newest files until the rest is within the limit. */
export async function removeExcess(folder: string, most: Measure): Promise<void> {
  const found: { path: string; size: number; changedAt: number }[] = [];
  for await (const file of filesIn(folder)) found.push(file);
  found.sort((a, b) => a.changedAt - b.changedAt);
  let bytes = 0;
  for (const [at, { path, size }] of found.entries()) {
    bytes += size;
    if (bytes > most.bytes || at >= most.entries) await removeTree(path);
    if (bytes > most.bytes) bytes -= size;
  }
}

async function* filesIn(folder: string): AsyncGenerator<{ path: string; size: number; changedAt: number }> {
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const found: Dirent[] = await readdir(next, { withFileTypes: true }).catch(() => []);
    for (const entry of found) {
      const path = join(next, entry.name);
      const about = await lstat(path).catch(() => undefined);
      if (entry.isDirectory()) folders.push(path);
      yield { path, size: entry.isDirectory() ? 0 : (about?.size ?? 0), changedAt: about?.mtimeMs ?? 0 };
    }
  }
}

/**
 * True if one of these mounts contains too many files, folders and links. Each of these takes kernel memory,
 * and bubblewrap cannot limit their number. Only the process and its children see the mounts.
 */
export async function hasTooManyInodes(
  pid: number | undefined,
  mounts: readonly string[],
  most: number,
): Promise<boolean> {
  const inner = pid === undefined ? undefined : await findInnermost(pid);
  for (const mount of mounts) {
    const inside = await statfs(`/proc/${inner}/root${mount}`).catch(() => undefined);
    if (inside && inside.files - inside.ffree > most) return true;
  }
  return false;
}

/**
 * Finds a process inside the sandbox's mounts. The sandbox program itself is outside, but its last descendant is
 * inside.
 */
async function findInnermost(pid: number): Promise<number> {
  for (let inner = pid; ; ) {
    const children = await readFile(`/proc/${inner}/task/${inner}/children`, "latin1").catch(() => "");
    const child = Number.parseInt(children, 10);
    if (Number.isNaN(child)) return inner;
    inner = child;
  }
}

async function nameless(pid: number | undefined): Promise<number> {
  const open = `/proc/${pid}/fd`;
  let bytes = 0;
  for (const name of await readdir(open).catch(() => [])) {
    const path = join(open, name);
    const target = await readlink(path).catch(() => "");
    if (target.endsWith(" (deleted)")) bytes += (await stat(path).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
}

export async function isNearlyFull(folder: string, { bytes, share }: SpareDisk): Promise<boolean> {
  // If the folder was deleted, it uses no space.
  const disk = await statfs(folder).catch(() => undefined);
  return disk !== undefined && disk.bavail * disk.bsize < Math.min(bytes, disk.blocks * disk.bsize * share);
}
