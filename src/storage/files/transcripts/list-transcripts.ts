import type { Dirent, Stats } from "node:fs";
import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";
import { inExistingDirectory } from "../../../disk/directory-below.ts";
import { codeOf } from "../../../disk/open-without-following.ts";
import type { FileListing, FileRefusal, TranscriptFile } from "../../../ports/transcript-files.ts";

/** Years of daily use stay below these. */
const max = { entries: 50_000, depth: 8 };

/** Looks at names and sizes only; no file is opened. */
export async function listTranscripts(
  root: string,
  beginning: readonly string[],
  below: string[],
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
      else waiting.push(steps);
      return;
    }
    if (!entry.name.endsWith(".jsonl")) return;
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

/** A second name of a file may stand anywhere, so what it says may be anybody's. */
export function findFlaw(stat: Stats): FileRefusal | undefined {
  if (stat.isSymbolicLink()) return "link";
  if (!stat.isFile()) return "not_a_file";
  return stat.nlink > 1 ? "hard_link" : undefined;
}
