import type { Dirent } from "node:fs";
import { type FileHandle, lstat, opendir, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { inExistingDirectory } from "../../../disk/directory-below.ts";
import { codeOf, isSameFile, openToRead } from "../../../disk/open-without-following.ts";
import type {
  FileListing,
  FileRefusal,
  ListOptions,
  OpenTranscript,
  SessionDatabase,
  TranscriptFile,
  TranscriptFiles,
  TranscriptRoot,
} from "../../../ports/transcript-files.ts";
import { isBelow } from "../export-files.ts";
import { findFlaw, watchTranscripts } from "./watch-transcripts.ts";

type TranscriptPlaces = {
  roots: TranscriptFiles["roots"];
  workingDirectory: string;
  findProject: TranscriptFiles["findProject"];
  isIgnored: TranscriptFiles["isIgnored"];
  /** Databases of sessions, keyed by the root that contains them. */
  databases: ReadonlyMap<string, SessionDatabase>;
};

/** Reads transcripts inside the allowed directories. Opens nothing else. */
export function createTranscriptFiles(places: TranscriptPlaces): TranscriptFiles {
  const { roots, workingDirectory, findProject, isIgnored, databases } = places;
  const describe = (root: TranscriptFiles["roots"][number], directory: string): TranscriptRoot => {
    const database = databases.get(root.directory);
    return database ? { directory, format: root.format, ...database } : describeRoot(root, directory);
  };
  return {
    roots,
    findProject,
    isIgnored,
    async openRoot(asked) {
      if (asked === undefined) {
        const first = (await firstExisting(roots)) ?? roots[0];
        return first && describe(first, first.directory);
      }
      if (!isAbsolute(asked) || asked.includes("\0")) return undefined;
      const directory = resolve(asked);
      const root = roots.find(
        (known) => known.directory === directory || isBelow(known.directory, directory),
      );
      return root && describe(root, directory);
    },
    watch: (options) =>
      watchTranscripts(
        roots.map(({ directory }) => directory).filter((directory) => !databases.has(directory)),
        databases,
        options,
      ),
    async findRepository() {
      for (let directory = workingDirectory; ; directory = dirname(directory)) {
        if (await exists(join(directory, ".git"))) return directory;
        if (directory === dirname(directory)) return undefined;
      }
    },
  };
}

/** Limits for one listing: directory entries and depth of folders. Years of daily use stay within them. */
const max = { entries: 50_000, depth: 8 };

/** Lists transcripts by their names, sizes and times. Opens no file. */
async function listTranscripts(
  root: string,
  beginning: readonly string[],
  below: string[],
  { deep = true, wants = () => true }: ListOptions,
): Promise<FileListing> {
  const files: TranscriptFile[] = [];
  const refused: Partial<Record<FileRefusal, number>> = {};
  const refuse = (why: FileRefusal) => {
    refused[why] = (refused[why] ?? 0) + 1;
  };
  const waiting: string[][] = below.includes("..") ? [] : [below];
  let seen = 0;
  let truncated = false;

  async function visit(directory: string, above: string[], entry: Dirent): Promise<void> {
    const steps = [...above, entry.name];
    if (entry.isDirectory()) {
      if (steps.length > max.depth) truncated = true;
      else if (deep) waiting.push(steps);
      return;
    }
    if (!entry.name.endsWith(".jsonl") || !wants(entry.name)) return;
    if (entry.isSymbolicLink()) return refuse("link");
    const stat = await lstat(join(directory, entry.name)).catch(() => undefined);
    const why = stat ? findFlaw(stat) : "missing";
    if (why !== undefined || !stat) return refuse(why ?? "missing");
    files.push({ path: steps.join("/"), bytes: stat.size, modifiedMs: Math.floor(stat.mtimeMs) });
  }

  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const steps = next;
    await inExistingDirectory(root, [...beginning, ...steps], async (directory) => {
      for await (const entry of await opendir(directory)) {
        seen += 1;
        if (seen > max.entries) break;
        await visit(directory, steps, entry);
      }
    }).catch((thrown) => {
      if (codeOf(thrown) === "ENOENT") return;
      refuse(codeOf(thrown) === "ELOOP" || codeOf(thrown) === "ENOTDIR" ? "link" : "unreadable");
    });
    if (seen > max.entries) {
      truncated = true;
      break;
    }
  }
  files.sort((a, b) => b.modifiedMs - a.modifiedMs || (a.path < b.path ? -1 : 1));
  return { files, truncated, refused };
}

/**
 * Opens a transcript. Checks the path as written, and opens every directory on the way separately, without
 * following links. Then checks the open file, and that the path still refers to it.
 */
async function openTranscript(
  root: string,
  directory: string,
  path: string,
): Promise<OpenTranscript | { refused: FileRefusal }> {
  const parts = path.split("/");
  const full = isAbsolute(path) ? resolve(path) : resolve(directory, path);
  const isPlain = !path.includes("\0") && !parts.includes("..") && !parts.includes(".");
  if (!isPlain || !isBelow(directory, full) || !full.endsWith(".jsonl")) return { refused: "outside" };
  const steps = relative(root, full).split(sep);
  const name = steps.pop() ?? "";
  try {
    const file = await inExistingDirectory(root, steps, (held) => openToRead(join(held, name)));
    const found = await inspect(file, root, full).catch(() => "missing" as const);
    if (typeof found !== "string")
      return describeOpen(file, relative(directory, full).split(sep).join("/"), found);
    await file.close();
    return { refused: found };
  } catch (thrown) {
    return { refused: refusals[codeOf(thrown)] ?? "unreadable" };
  }
}

const refusals: Readonly<Record<string, FileRefusal>> = {
  ENOENT: "missing",
  ELOOP: "link",
  EMLINK: "link",
  ENOTDIR: "link",
  ENXIO: "not_a_file",
  EISDIR: "not_a_file",
};

async function inspect(file: FileHandle, root: string, full: string) {
  const stat = await file.stat();
  const flaw = findFlaw(stat);
  if (flaw !== undefined) return flaw;
  const real = await realpath(full);
  if (real !== join(await realpath(root), relative(root, full))) return "link";
  if (!isSameFile(await file.stat({ bigint: true }), await lstat(real, { bigint: true }))) return "link";
  return { bytes: stat.size, modifiedMs: Math.floor(stat.mtimeMs) };
}

function describeOpen(
  file: FileHandle,
  path: string,
  { bytes, modifiedMs }: { bytes: number; modifiedMs: number },
): OpenTranscript {
  return {
    path,
    bytes,
    modifiedMs,
    async read(offset, length) {
      const wanted = Math.max(0, Math.min(length, bytes - offset));
      const buffer = Buffer.allocUnsafe(wanted);
      let filled = 0;
      while (filled < wanted) {
        const { bytesRead } = await file.read(buffer, filled, wanted - filled, offset + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return buffer.subarray(0, filled);
    },
    close: () => file.close(),
  };
}

function describeRoot(
  { directory: root, format }: TranscriptFiles["roots"][number],
  directory: string,
): TranscriptRoot {
  const steps = relative(root, directory).split(sep).filter(Boolean);
  return {
    directory,
    format,
    list: (below = "", options = {}) =>
      listTranscripts(root, steps, below.split("/").filter(Boolean), options),
    open: (path) => openTranscript(root, directory, path),
  };
}

async function firstExisting(roots: TranscriptFiles["roots"]) {
  for (const root of roots) if (await exists(root.directory)) return root;
  return undefined;
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
