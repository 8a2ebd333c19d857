import type { WriterLease } from "../lease/writer-lease.ts";
import type { LedgerSource } from "../ledger-source.ts";
import type { CatchUp } from "./catch-up.ts";
import type { DueManifests } from "./due-manifests.ts";
import type { OwedSessions } from "./owed-sessions.ts";
import type { SessionWriter } from "./session-writer.ts";
import { createTurns } from "./turns.ts";

const pageSize = 500;

export type FlushParts = {
  source: LedgerSource;
  writer: SessionWriter;
  catchUp: CatchUp;
  lease: WriterLease;
  manifests: DueManifests;
  owed: OwedSessions;
  writeWhole(sessionId: string): Promise<void>;
};

/**
 * Writes what waits of one session, out of turn. It needs no lease, because files of the same thoughts are the
 * same whoever writes them, and moves no mark, because other sessions may still wait.
 */
export function createSessionFlush(parts: FlushParts) {
  const { source, writer, catchUp, lease, manifests, owed, writeWhole } = parts;
  return async (sessionId: string): Promise<void> => {
    const marks = await source.projection.readMarks();
    const { last } = marks;
    const reached = lease.mayHaveLostFiles(marks) ? marks.durable : marks.projected;
    if (owed.has(sessionId)) return owed.settle(sessionId, writeWhole);
    const turns = createTurns();
    let isBehind = manifests.isBehind(sessionId);
    let after = Math.max(reached, catchUp.cursor);
    while (after < last) {
      const page = await source.feed.readFeed(after, pageSize);
      for (const waiting of page) {
        if (waiting.kind === "memory" || waiting.sessionId !== sessionId) continue;
        isBehind = true;
        if (waiting.kind === "thought") await owed.guard(sessionId, () => writer.writeThought(waiting.entry));
      }
      after = page.length < pageSize ? last : (page.at(-1)?.seq ?? last);
      if (turns.isOver()) await turns.next();
    }
    const writeManifest = () => owed.guard(sessionId, () => writer.writeManifest(sessionId));
    if (isBehind) await manifests.bringUpToDate(sessionId, writeManifest);
  };
}
