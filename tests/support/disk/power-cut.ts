import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DiskCall } from "./disk-shim.ts";

/**
 * Computes what a disk contains after a power cut, from every call that was made to it. Synced data is there. Every
 * other block has any of the contents it had since its last sync. Changes of file names apply in order, up to any point
 * at or after the last sync of a folder. POSIX allows all of this, and ext4 only a part of it.
 */

/** What happens to data that was written but not synced. */
export const remains = ["nothing", "blocks", "sectors", "everything"] as const;
export type Remains = (typeof remains)[number];

type Random = () => number;
type Change = { at: number; data: Buffer } | { size: number };
type File = { synced: Buffer; unsynced: Change[] };
type Naming = (names: Map<string, File>, folders: Set<string>) => void;

export type Cut = { calls: readonly DiskCall[]; remains: Remains; random: Random };

/** Writes the disk's contents after the cut. Returns how many changes were lost. */
export function writeDiskAfterCut(directory: string, { calls, remains, random }: Cut): number {
  const { namings, settled, files } = replay(calls);
  const kept = settled + pickUpTo(namings.length - settled, remains, random);
  const names = new Map<string, File>();
  const folders = new Set<string>([""]);
  for (const name of namings.slice(0, kept)) name(names, folders);
  for (const folder of folders) mkdirSync(join(directory, folder), { recursive: true, mode: 0o700 });
  for (const [path, file] of names) {
    mkdirSync(dirname(join(directory, path)), { recursive: true, mode: 0o700 });
    const content = path.endsWith("-shm") ? garbage(random) : contentAfter(file, remains, random);
    writeFileSync(join(directory, path), content, { mode: 0o600 });
  }
  const unsynced = [...files].reduce((sum, file) => sum + file.unsynced.length, 0);
  return remains === "everything" ? 0 : unsynced + namings.length - kept;
}

function replay(calls: readonly DiskCall[]) {
  const names = new Map<string, File>();
  const folders = new Set<string>();
  const files = new Set<File>();
  const namings: Naming[] = [];
  let settled = 0;
  const rename = (naming: Naming): void => {
    naming(names, folders);
    namings.push(naming);
  };
  for (const { call, path, number, data } of calls) {
    const file = names.get(path);
    if (call === "write") file?.unsynced.push({ at: number, data });
    if (call === "truncate") file?.unsynced.push({ size: number });
    if (call === "empty") file?.unsynced.push({ size: 0 });
    if (call === "sync" && file) {
      file.synced = applyAll(file.synced, file.unsynced);
      file.unsynced = [];
    } else if (call === "sync") settled = namings.length;
    const naming = namingOf(call, path, data, files);
    if (naming) rename(naming);
  }
  return { namings, settled, files };
}

function namingOf(call: string, path: string, data: Buffer, files: Set<File>): Naming | undefined {
  const to = call === "rename" || call === "link" ? relativeTo(path, data.toString()) : "";
  switch (call) {
    case "create": {
      const file: File = { synced: Buffer.alloc(0), unsynced: [] };
      files.add(file);
      return (names) => void names.set(path, file);
    }
    case "mkdir":
      return (_names, folders) => void folders.add(path);
    case "unlink":
      return (names) => void names.delete(path);
    case "rename":
    case "link":
      return (names) => {
        const file = names.get(path);
        if (file) names.set(to, file);
        if (call === "rename") names.delete(path);
      };
    default:
      return undefined;
  }
}

/** Resolves a new name. Files are renamed only within their folder. */
const relativeTo = (path: string, to: string): string =>
  join(dirname(path), to.slice(to.lastIndexOf("/") + 1));

function applyAll(content: Buffer, changes: readonly Change[]): Buffer {
  const ends = changes.map((change) => ("size" in change ? change.size : change.at + change.data.length));
  const room = Buffer.concat([content], Math.max(content.length, ...ends));
  let size = content.length;
  for (const change of changes) {
    if ("size" in change) {
      room.fill(0, change.size);
      size = change.size;
    } else {
      change.data.copy(room, change.at);
      size = Math.max(size, change.at + change.data.length);
    }
  }
  return room.subarray(0, size);
}

function contentAfter({ synced, unsynced }: File, remains: Remains, random: Random): Buffer {
  if (remains === "nothing") return synced;
  const inOrder = remains === "everything" || unsynced.some((change) => "size" in change);
  if (inOrder) return applyAll(synced, unsynced.slice(0, pickUpTo(unsynced.length, remains, random)));
  const size = remains === "blocks" ? 4096 : 512;
  const pieces = new Map<number, Change[]>();
  for (const change of unsynced) for (const piece of split(change, size)) addTo(pieces, piece);
  const kept = [...pieces.values()].flatMap((versions) =>
    versions.slice(0, Math.floor(random() * (versions.length + 1))),
  );
  return applyAll(synced, kept);

  function addTo(all: Map<number, Change[]>, piece: { at: number; data: Buffer }): void {
    const block = Math.floor(piece.at / size);
    all.set(block, [...(all.get(block) ?? []), piece]);
  }
}

function* split(change: Change, size: number): Generator<{ at: number; data: Buffer }> {
  if ("size" in change) return;
  const end = change.at + change.data.length;
  for (let at = change.at; at < end; ) {
    const next = Math.min(end, (Math.floor(at / size) + 1) * size);
    yield { at, data: change.data.subarray(at - change.at, next - change.at) };
    at = next;
  }
}

function pickUpTo(count: number, remains: Remains, random: Random): number {
  if (remains === "nothing") return 0;
  return remains === "everything" ? count : Math.floor(random() * (count + 1));
}

/** Returns random bytes, because shared memory has no defined order of writes and may contain anything. */
const garbage = (random: Random): Buffer =>
  Buffer.from(Array.from({ length: 32_768 }, () => Math.floor(random() * 256)));
