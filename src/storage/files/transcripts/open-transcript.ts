import { type FileHandle, lstat, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { inExistingDirectory } from "../../../disk/directory-below.ts";
import { codeOf, openToRead } from "../../../disk/open-without-following.ts";
import type { FileRefusal, OpenTranscript } from "../../../ports/transcript-files.ts";
import { isBelow } from "../read-contained.ts";
import { findFlaw } from "./list-transcripts.ts";

/**
 * The path is checked as written; every directory on the way is opened by itself, without following links; then the
 * open file is looked at, and that it is still the one that the path leads to.
 */
export async function openTranscript(
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
      return describe(file, relative(directory, full).split(sep).join("/"), found);
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
  const { ino, dev } = await lstat(real);
  if (ino !== stat.ino || dev !== stat.dev) return "link";
  return { bytes: stat.size, modifiedMs: Math.floor(stat.mtimeMs) };
}

function describe(
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
