import type { Clock } from "../../kernel/clock.ts";
import type { ArchiveChoice, ArchiveReport } from "../../ports/ledger-dump.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import { storageFailure } from "../../ports/storage-failures.ts";
import type { Trash } from "../../ports/upkeep.ts";
import { readLines } from "./read-dump.ts";
import { createSurvey, surveyStore } from "./survey-store.ts";
import { allSessions, type DumpSource, writeDump } from "./write-dump.ts";

type ArchiveSource = DumpSource & {
  ledger: Pick<LedgerStore, "deleteSession" | "restoreSession">;
  trash: Pick<Trash, "eraseSessions">;
};

/**
 * Moves completed sessions into a separate dump. A session is only removed from the store after the file is
 * on disk and has been read back. It moves to the trash first, so that nothing can be added to it. If it has
 * grown since it was dumped, it is restored.
 */
export async function archiveSessions(
  source: ArchiveSource,
  path: string,
  clock: Clock,
  { before, check = false, progress = () => {}, signal }: ArchiveChoice,
): Promise<ArchiveReport> {
  const found: { id: string; thoughts: number }[] = [];
  for await (const { session } of allSessions(source)) {
    const { id, status, completedAt, updatedAt, thoughtCount: thoughts } = session;
    if (status === "completed" && (completedAt ?? updatedAt) < before) found.push({ id, thoughts });
  }
  const thoughts = found.reduce((sum, one) => sum + one.thoughts, 0);
  const report: ArchiveReport = { path, bytes: 0, sessions: found.length, thoughts, kept: [] };
  if (check || found.length === 0) return report;
  const sessions = found.map(({ id }) => id);
  const choice = { sessions, ...(signal && { signal }) };
  const { bytes } = await writeDump(source, path, clock, choice);
  const written = await surveyFile(path);
  const { things } = await surveyStore(source, choice);
  for (const [done, { id, thoughts }] of found.entries()) {
    signal?.throwIfAborted();
    const state = written.get(`session ${id}`);
    if (state === undefined) throw storageFailure("not_a_dump", { path });
    const isSame = state === things.get(`session ${id}`);
    if (!isSame || !(await erase(source, id, thoughts, clock))) report.kept.push(id);
    progress(done + 1, found.length);
  }
  return { ...report, bytes, sessions: found.length - report.kept.length };
}

async function surveyFile(path: string): Promise<ReadonlyMap<string, string>> {
  const { note, finish } = createSurvey();
  for await (const { line } of readLines(path)) {
    if (!line) throw storageFailure("not_a_dump", { path });
    note(line);
  }
  return finish();
}

/** Erases a session. If it has grown since it was dumped, keeps it and returns false. */
async function erase(
  { ledger, trash }: ArchiveSource,
  id: string,
  thoughts: number,
  clock: Clock,
): Promise<boolean> {
  await ledger.deleteSession(id, clock().toISOString());
  const trashed = await trash.readTrashedSession(id);
  if (trashed?.session.thoughtCount === thoughts) return (await trash.eraseSessions([id])).length > 0;
  if (trashed) await ledger.restoreSession(id, clock().toISOString());
  return false;
}
