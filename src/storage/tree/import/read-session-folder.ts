import type { Dirent } from "node:fs";
import { join } from "node:path";
import {
  branchesFolder,
  isBranchId,
  manifestName,
  parseThoughtFileName,
} from "../../../domain/ledger/tree/layout.ts";
import type { SessionFolderContents } from "../../../domain/ledger/tree/rebuild-session.ts";
import type { BadFile } from "../../../domain/ledger/tree/sort-thought-files.ts";
import { listFolder, longestThoughtFile, readBytes, toText } from "../read-file.ts";
import { createTimeSlices } from "../write/time-slices.ts";
import type { FoundSession } from "./find-sessions.ts";

type Candidate = { path: string; branchId: string | undefined; entry: Dirent };

/** Everything in a session's folder that could be a thought, and what could not be read. */
export async function readSessionFolder({
  place,
  folder,
}: FoundSession): Promise<{ contents: SessionFolderContents; badFiles: BadFile[] }> {
  const slices = createTimeSlices();
  const badFiles: BadFile[] = [];
  const files: SessionFolderContents["files"][number][] = [];
  let modifiedAt = new Date(0);

  const read = (path: string): string | undefined => {
    const isManifest = path === manifestName;
    const found = readBytes(join(folder, path), isManifest ? undefined : longestThoughtFile);
    if ("problem" in found) {
      if (!found.missing || !isManifest) badFiles.push({ path, problem: found.problem });
      return undefined;
    }
    if (found.modifiedAt > modifiedAt) modifiedAt = found.modifiedAt;
    const text = toText(found.bytes);
    if (text === undefined) badFiles.push({ path, problem: "is not UTF-8 text" });
    return text;
  };

  for (const { path, branchId, entry } of candidates(folder)) {
    const thoughtNumber = parseThoughtFileName(entry.name);
    if (thoughtNumber === undefined) {
      badFiles.push({ path, problem: "is not part of a session" });
      continue;
    }
    const text = read(path);
    if (text !== undefined) files.push({ path, address: { branchId, thoughtNumber }, text });
    if (slices.isOver()) await slices.next();
  }
  const manifest = read(manifestName);
  return { contents: { place, manifest, files, modifiedAt: modifiedAt.toISOString() }, badFiles };
}

/**
 * Branches lie in `branches/{branchId}/`, or right in the session's folder where an earlier version wrote them;
 * `branches` may then itself be the name of one.
 */
function candidates(folder: string): Candidate[] {
  const found: Candidate[] = [];
  for (const entry of byNumber(listFolder(folder))) {
    if (entry.name === manifestName) continue;
    if (!entry.isDirectory()) found.push({ path: entry.name, branchId: undefined, entry });
    else if (entry.name === branchesFolder) found.push(...inBranches(join(folder, entry.name)));
    else found.push(...inBranch(join(folder, entry.name), entry, entry.name));
  }
  return found;

  function inBranches(path: string): Candidate[] {
    return byNumber(listFolder(path)).flatMap((entry) => {
      const relative = `${branchesFolder}/${entry.name}`;
      return entry.isDirectory()
        ? inBranch(join(path, entry.name), entry, relative)
        : [{ path: relative, branchId: branchesFolder, entry }];
    });
  }

  function inBranch(path: string, branch: Dirent, relative: string): Candidate[] {
    if (!isBranchId(branch.name)) return [{ path: relative, branchId: undefined, entry: branch }];
    return byNumber(listFolder(path)).map((entry) => ({
      path: `${relative}/${entry.name}`,
      branchId: branch.name,
      entry,
    }));
  }
}

function byNumber(entries: readonly Dirent[]): Dirent[] {
  const numberOf = ({ name }: Dirent) => parseThoughtFileName(name) ?? Number.POSITIVE_INFINITY;
  return [...entries].sort((a, b) => numberOf(a) - numberOf(b) || (a.name < b.name ? -1 : 1));
}
