import { type Dirent, lstatSync, readdirSync, type Stats } from "node:fs";
import { join, relative, sep } from "node:path";
import type {
  FileRefusal,
  SessionDatabase,
  TranscriptChange,
  TranscriptWatch,
  WatchOptions,
} from "../../../ports/transcript-files.ts";

/** The interval between checks of recently written files, so that people see a thought within a second. */
const everyMs = 300;
/** A file that has not been written to for this long is checked only every `coldTurns` turns. */
const coldAfterMs = 10 * 60_000;
const coldTurns = 3;
/** The maximum number of such old files to check per turn, which takes a few milliseconds. */
const mostCold = 2_000;
const max = { entries: 50_000, depth: 8 };

type Seen = { bytes: number; modifiedMs: number };
type Folder = { root: string; depth: number; modifiedMs: number };

/**
 * Polls times and sizes. System notifications are lost on network drives and in containers, and thousands of files
 * would each need a watcher. Opens no file. Reports a file once when it is found, and then whenever it changes.
 */
export function watchTranscripts(
  roots: readonly string[],
  databases: ReadonlyMap<string, SessionDatabase>,
  { onChange, mayLook = () => true, wants = () => true }: WatchOptions,
): TranscriptWatch {
  const folders = new Map<string, Folder>();
  const files = new Map<string, Seen & { root: string }>();
  let cold: string[] = [];
  let turn = 0;
  let timer: NodeJS.Timeout | undefined;
  for (const root of roots) folders.set(root, { root, depth: 0, modifiedMs: -1 });

  function look(): void {
    if (!mayLook()) return;
    const changed: TranscriptChange[] = [];
    for (const [path, folder] of folders) lookInto(path, folder, changed);
    const now = Date.now();
    turn += 1;
    for (const [path, seen] of files) if (now - seen.modifiedMs < coldAfterMs) lookAt(path, seen, changed);
    if (turn % coldTurns === 0) {
      if (cold.length === 0) cold = [...files.keys()];
      for (const path of cold.splice(-mostCold)) {
        const seen = files.get(path);
        if (seen) lookAt(path, seen, changed);
      }
    }
    for (const [root, database] of databases)
      for (const file of database.changed())
        if (wants(join(root, file.path))) changed.push({ root, ...file });
    if (changed.length > 0) onChange(changed);
  }

  /** Looks for new files in a folder. Skips the folder if its modification time is unchanged. */
  function lookInto(path: string, folder: Folder, changed: TranscriptChange[]): void {
    const stat = statOf(path);
    if (!stat?.isDirectory()) {
      // Keeps the roots, because a missing root may be created later.
      if (folder.depth > 0) folders.delete(path);
      else folder.modifiedMs = -1;
      return;
    }
    if (stat.mtimeMs === folder.modifiedMs && Date.now() - stat.mtimeMs > everyMs * 2) return;
    folder.modifiedMs = stat.mtimeMs;
    for (const entry of entriesOf(path)) {
      const full = join(path, entry.name);
      if (folders.size + files.size >= max.entries) return;
      if (entry.isDirectory()) {
        if (folder.depth >= max.depth || folders.has(full)) continue;
        const below = { root: folder.root, depth: folder.depth + 1, modifiedMs: -1 };
        folders.set(full, below);
        lookInto(full, below, changed);
      } else if (entry.isFile() && !files.has(full) && isTranscript(entry.name) && wants(full)) {
        const seen = { root: folder.root, bytes: -1, modifiedMs: 0 };
        files.set(full, seen);
        lookAt(full, seen, changed);
      }
    }
  }

  function lookAt(path: string, seen: Seen & { root: string }, changed: TranscriptChange[]): void {
    const stat = statOf(path);
    if (!stat) {
      files.delete(path);
      return;
    }
    const modifiedMs = Math.floor(stat.mtimeMs);
    if (stat.size === seen.bytes && modifiedMs === seen.modifiedMs) return;
    if (findFlaw(stat) !== undefined) return;
    files.set(path, { root: seen.root, bytes: stat.size, modifiedMs });
    const below = relative(seen.root, path).split(sep).join("/");
    changed.push({ root: seen.root, path: below, bytes: stat.size, modifiedMs });
  }

  function next(): void {
    timer = setTimeout(() => {
      look();
      next();
    }, everyMs).unref();
  }

  return {
    look,
    start: next,
    stop: () => clearTimeout(timer),
  };
}

const isTranscript = (name: string): boolean => name.endsWith(".jsonl");

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

function entriesOf(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Returns why a file must not be read. A file with a second name (a hard link) could be any file. */
export function findFlaw(stat: Stats): FileRefusal | undefined {
  if (stat.isSymbolicLink()) return "link";
  if (!stat.isFile()) return "not_a_file";
  return stat.nlink > 1 ? "hard_link" : undefined;
}
