import { basename, join, resolve, sep } from "node:path";
import { slugProject } from "../../../domain/ledger/project.ts";
import {
  branchesFolder,
  isPartition,
  isSessionId,
  manifestName,
  parseThoughtFileName,
} from "../../../domain/ledger/tree/layout.ts";
import type { FoundPlace } from "../../../domain/ledger/tree/rebuild-session.ts";
import { runAtOnce, type Steps } from "../../../kernel/steps.ts";
import { shellWord, visible } from "../../../kernel/text.ts";
import { listInSteps, statOf } from "../read-file.ts";

export type FoundSession = { place: FoundPlace; folder: string };

/** The maximum depth. The levels are: data directory, projects, project, sessions, partition, session. */
const deepest = 5;
const sessionsFolder = "sessions";
/** Folders in a data directory that are not part of the ledger. A project may have one of these names. */
const passedOver = new Set(["quarantine", "trash", "exports", "cells", "backups", "node_modules"]);

/**
 * Finds every session folder in a directory. The directory may be a data directory or any folder in the tree,
 * down to a single session. Does not follow links. Sorts by path, so that the order is always the same.
 */
export function* findSessions(directory: string): Steps<FoundSession[]> {
  const found: FoundSession[] = [];
  yield* visit(resolve(directory), 0);
  return found;

  function* visit(folder: string, depth: number): Steps<void> {
    yield;
    if (isSessionId(basename(folder))) {
      const place = placeOf(folder);
      if (place.project !== undefined || (yield* holdsSession(folder))) found.push({ folder, place });
      return;
    }
    if (depth >= deepest) return;
    const entries = yield* listInSteps(folder);
    const names = entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
    for (const name of names.sort()) {
      const child = join(folder, name);
      if (!passedOver.has(name) || isProject(child)) yield* visit(child, depth + 1);
    }
  }
}

const isProject = (folder: string): boolean => statOf(join(folder, sessionsFolder))?.isDirectory() ?? false;

/** Checks a folder's contents, because other folders may have names like those of sessions. */
function* holdsSession(folder: string): Steps<boolean> {
  const entries = yield* listInSteps(folder);
  return entries.some(
    ({ name }) =>
      name === manifestName || name === branchesFolder || parseThoughtFileName(name) !== undefined,
  );
}

/** Returns the project and the partition that the path names, wherever in the tree the search started. */
function placeOf(folder: string): FoundPlace {
  const steps = folder.split(sep);
  const [parent = "", id = ""] = steps.slice(-2);
  const partitionPath = isPartition(parent) ? parent : undefined;
  const sessions = steps.length - (partitionPath === undefined ? 2 : 3);
  const inProject = steps[sessions] === sessionsFolder && steps[sessions - 2] === "projects";
  const project = inProject ? slugProject(steps[sessions - 1] ?? "") : undefined;
  return { id, project, ...(partitionPath !== undefined && { partitionPath }) };
}

/**
 * Logs a warning if a tree exists when a store is created. Either the database was lost or the tree is from
 * an earlier version, so the tree's sessions are missing from the store.
 */
export function warnOfLostStore(dataDir: string, log: (line: string) => void): void {
  const { length } = findReadableSessions(join(dataDir, "projects"));
  if (length === 0) return;
  const sessions = length === 1 ? "1 session" : `${length} sessions`;
  const directory = visible(dataDir);
  log(
    `thoughtbox: the database in ${directory} is new, but the JSON files beside it contain ${sessions}. To import: thoughtbox import ${shellWord(dataDir)}\n`,
  );
}

/**
 * Counts the sessions that are in a data directory's files but not in its store, such as those from an earlier version.
 */
export async function countUnknownSessions(
  dataDir: string,
  isKnown: (sessionId: string) => Promise<boolean>,
  signal?: AbortSignal,
): Promise<number> {
  let unknown = 0;
  for (const { place } of findReadableSessions(join(dataDir, "projects"))) {
    signal?.throwIfAborted();
    if (!(await isKnown(place.id))) unknown += 1;
  }
  return unknown;
}

/** Finds sessions, but returns none if a folder cannot be listed, so that the store can still be created. */
function findReadableSessions(directory: string): FoundSession[] {
  try {
    return runAtOnce(findSessions(directory));
  } catch {
    return [];
  }
}
