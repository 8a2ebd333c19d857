import { basename, join, resolve, sep } from "node:path";
import { defaultProject, slugProject } from "../../../domain/ledger/project.ts";
import { isPartition, isSessionId, type SessionPlace } from "../../../domain/ledger/tree/layout.ts";
import type { Steps } from "../../../kernel/steps.ts";
import { listInSteps } from "../read-file.ts";

export type FoundSession = { place: SessionPlace; folder: string };

/** data directory, projects, project, sessions, partition, session. */
const deepest = 5;
/** Siblings of the tree in a data directory; what lies there is not part of the ledger. */
const passedOver = new Set(["quarantine", "trash", "exports", "node_modules"]);

/**
 * Every session folder below a directory, which may be a data directory or any folder of the tree down to a
 * single session. Links are not followed. The order is by path, so that two runs do the same.
 */
export function* findSessions(directory: string): Steps<FoundSession[]> {
  const found: FoundSession[] = [];
  yield* visit(resolve(directory), 0);
  return found;

  function* visit(folder: string, depth: number): Steps<void> {
    yield;
    if (isSessionId(basename(folder))) {
      found.push({ folder, place: placeOf(folder) });
      return;
    }
    if (depth >= deepest) return;
    const entries = yield* listInSteps(folder);
    const names = entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
    for (const name of names.sort()) if (!passedOver.has(name)) yield* visit(join(folder, name), depth + 1);
  }
}

/** Project and partition are read from the path, wherever in it the reading began. */
function placeOf(folder: string): SessionPlace {
  const steps = folder.split(sep);
  const [parent = "", id = ""] = steps.slice(-2);
  const partitionPath = isPartition(parent) ? parent : undefined;
  const sessions = steps.length - (partitionPath === undefined ? 2 : 3);
  const inProject = steps[sessions] === "sessions" && steps[sessions - 2] === "projects";
  const project = inProject ? slugProject(steps[sessions - 1] ?? "") : defaultProject;
  return { id, project, ...(partitionPath !== undefined && { partitionPath }) };
}
