import { statSync } from "node:fs";
import { join, relative } from "node:path";
import { type RebuiltSession, rebuildSession } from "../../../domain/ledger/tree/rebuild-session.ts";
import { runInTurns } from "../../../kernel/steps.ts";
import type { ImportOptions, ImportReport, LedgerImport } from "../../../ports/ledger-import.ts";
import { storageFailure } from "../../../ports/storage-failures.ts";
import { type FoundSession, findSessions } from "./find-sessions.ts";
import { createImportBatches } from "./import-batches.ts";
import { readSessionFolder } from "./read-session-folder.ts";

/**
 * Rebuilds sessions from a tree, ours or an earlier version's. What is ours becomes what it was, to the hash; an
 * import that was broken off goes on where it ended when it is run again.
 */
export async function importTree(
  store: LedgerImport,
  directory: string,
  { onProgress = () => {}, signal }: ImportOptions = {},
): Promise<ImportReport> {
  requireFolder(directory);
  const found = await runInTurns(findSessions(directory), signal);
  const report: ImportReport = {
    sessions: found.length,
    imported: 0,
    continued: 0,
    unchanged: 0,
    thoughts: 0,
    refused: [],
    badFiles: [],
    warnings: [],
  };
  const paths = new Map(found.map(({ place, folder }) => [place.id, relative(directory, folder)]));
  const batches = createImportBatches(store, (outcome) => {
    report.thoughts += outcome.added;
    if (outcome.refused !== undefined) {
      const { sessionId, refused: refusal } = outcome;
      report.refused.push({ sessionId, path: paths.get(sessionId) ?? "", refusal });
    } else if (outcome.created) report.imported += 1;
    else if (outcome.added > 0) report.continued += 1;
    else report.unchanged += 1;
  });

  for (const [index, session] of found.entries()) {
    signal?.throwIfAborted();
    const rebuilt = await readSession(session, paths.get(session.place.id) ?? "", report, signal);
    await batches.add(rebuilt, signal);
    onProgress({ sessions: index + 1, totalSessions: found.length, thoughts: report.thoughts });
  }
  await batches.finish();
  onProgress({ sessions: found.length, totalSessions: found.length, thoughts: report.thoughts });
  return report;
}

async function readSession(
  session: FoundSession,
  path: string,
  report: ImportReport,
  signal: AbortSignal | undefined,
): Promise<RebuiltSession> {
  const { contents, badFiles } = await runInTurns(readSessionFolder(session), signal);
  const rebuilt = await runInTurns(rebuildSession(contents), signal);
  for (const bad of [...badFiles, ...rebuilt.badFiles]) {
    report.badFiles.push({ path: join(path, bad.path), problem: bad.problem });
  }
  for (const message of rebuilt.warnings) report.warnings.push({ path, message });
  return rebuilt;
}

function requireFolder(directory: string): void {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return;
  throw storageFailure("import_folder_missing", { directory });
}
