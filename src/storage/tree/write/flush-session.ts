import type { WriterLease } from "../lease/writer-lease.ts";
import type { LedgerSource } from "../ledger-source.ts";
import type { CatchUp } from "./catch-up.ts";
import type { DeferredSessions } from "./deferred-sessions.ts";
import type { DueManifests } from "./due-manifests.ts";
import type { SessionWriter } from "./session-writer.ts";
import { createTimeSlices } from "./time-slices.ts";

const pageSize = 500;

export type FlushParts = {
  source: LedgerSource;
  writer: SessionWriter;
  catchUp: CatchUp;
  lease: WriterLease;
  manifests: DueManifests;
  deferred: DeferredSessions;
  writeWhole(sessionId: string): Promise<void>;
};

/**
 * Writes what waits of one session, out of turn. It needs no lease, because files of the same thoughts are the
 * same whoever writes them, and moves no mark, because other sessions may still wait.
 */
export function createSessionFlush(parts: FlushParts) {
  const { source, writer, catchUp, lease, manifests, deferred, writeWhole } = parts;
  return async (sessionId: string): Promise<void> => {
    // It may have been moved, and another process brought its files there.
    writer.folders.forget(sessionId);
    const marks = await source.projection.readMarks();
    const { last } = marks;
    const reached = lease.mayHaveLostFiles(marks) ? marks.durable : marks.projected;
    if (deferred.has(sessionId)) return deferred.settle(sessionId, writeWhole);
    const slices = createTimeSlices();
    let isBehind = manifests.isBehind(sessionId);
    let after = Math.max(reached, catchUp.cursor);
    while (after < last) {
      const page = await source.feed.readFeed(after, pageSize);
      for (const waiting of page) {
        if (waiting.kind === "memory" || waiting.sessionId !== sessionId) continue;
        isBehind = true;
        if (waiting.kind === "session" && waiting.change === "moved")
          await deferred.guard(sessionId, () => catchUp.followMove(sessionId));
        if (waiting.kind === "session" && (waiting.change === "deleted" || waiting.change === "restored"))
          await deferred.guard(sessionId, () => catchUp.followDeletion(sessionId, waiting.project));
        if (waiting.kind === "thought")
          await deferred.guard(sessionId, () => writer.writeThought(waiting.entry));
      }
      after = page.length < pageSize ? last : (page.at(-1)?.seq ?? last);
      if (slices.isOver()) await slices.next();
    }
    const writeManifest = () => deferred.guard(sessionId, () => writer.writeManifest(sessionId));
    if (isBehind) await manifests.bringUpToDate(sessionId, writeManifest);
  };
}
