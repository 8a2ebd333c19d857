import type { Dirent } from "node:fs";
import { join } from "node:path";
import {
  branchesFolder,
  branchOfFolder,
  manifestName,
  parseThoughtFileName,
} from "../../../domain/ledger/tree/layout.ts";
import type { SessionFolderContents } from "../../../domain/ledger/tree/rebuild-session.ts";
import type { BadFile } from "../../../domain/ledger/tree/sort-thought-files.ts";
import { type Steps, sortInSteps } from "../../../kernel/steps.ts";
import { listInSteps, longestThoughtFile, readBytes, toText } from "../read-file.ts";
import type { FoundSession } from "./find-sessions.ts";

type Candidate = { path: string; branchId: string | undefined; entry: Dirent };

/** Everything in a session's folder that could be a thought, and the files that could not be read. */
export function* readSessionFolder({
  place,
  folder,
}: FoundSession): Steps<{ contents: SessionFolderContents; badFiles: BadFile[] }> {
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

  for (const { path, branchId, entry } of yield* candidates(folder)) {
    yield;
    const thoughtNumber = parseThoughtFileName(entry.name);
    if (thoughtNumber === undefined) {
      badFiles.push({ path, problem: "is not part of a session" });
      continue;
    }
    const text = read(path);
    if (text !== undefined) files.push({ path, address: { branchId, thoughtNumber }, text });
  }
  const manifest = read(manifestName);
  return { contents: { place, manifest, files, modifiedAt: modifiedAt.toISOString() }, badFiles };
}

/**
 * Branches are in `branches/{branchId}/`. Earlier versions wrote them directly into the session's folder, so `branches`
 * may also be the name of a branch.
 */
function* candidates(folder: string): Steps<Candidate[]> {
  const found: Candidate[] = [];
  for (const entry of yield* byNumber(folder)) {
    if (entry.name === manifestName) continue;
    if (!entry.isDirectory()) found.push({ path: entry.name, branchId: undefined, entry });
    else if (entry.name === branchesFolder) yield* inBranches(join(folder, entry.name));
    else yield* inBranch(join(folder, entry.name), entry, entry.name);
  }
  return found;

  function* inBranches(path: string): Steps<void> {
    for (const entry of yield* byNumber(path)) {
      const relative = `${branchesFolder}/${entry.name}`;
      if (entry.isDirectory()) yield* inBranch(join(path, entry.name), entry, relative);
      else found.push({ path: relative, branchId: branchesFolder, entry });
    }
  }

  function* inBranch(path: string, branch: Dirent, relative: string): Steps<void> {
    const branchId = branchOfFolder(branch.name);
    if (branchId === undefined) found.push({ path: relative, branchId, entry: branch });
    else
      for (const entry of yield* byNumber(path))
        found.push({ path: `${relative}/${entry.name}`, branchId, entry });
  }
}

function* byNumber(folder: string): Steps<Dirent[]> {
  const numbered: { entry: Dirent; number: number }[] = [];
  for (const entry of yield* listInSteps(folder)) {
    numbered.push({ entry, number: parseThoughtFileName(entry.name) ?? Number.POSITIVE_INFINITY });
    yield;
  }
  const sorted = yield* sortInSteps(numbered, (a, b) =>
    a.number === b.number ? (a.entry.name < b.entry.name ? -1 : 1) : a.number - b.number,
  );
  return sorted.map(({ entry }) => entry);
}
