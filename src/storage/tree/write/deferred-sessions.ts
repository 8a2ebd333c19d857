import type { ProjectionBook } from "../../../ports/projection-book.ts";
import { concernsAll, explain, type TreeFiles, type TroubleLog } from "../tree-files.ts";

const retryMs = 30_000;

export type DeferredSessions = ReturnType<typeof createDeferredSessions>;

/**
 * Records a session as deferred if its folder cannot be written, so that it does not delay the others. Skips
 * the session and later writes all of its files.
 */
export function createDeferredSessions(book: ProjectionBook, files: TreeFiles, troubles: TroubleLog) {
  let deferred = new Set<string>();
  let triedAt = Number.NEGATIVE_INFINITY;

  /** Returns how long until the next attempt. `undefined` if nothing is deferred. */
  const nextInMs = (): number | undefined =>
    deferred.size === 0 ? undefined : Math.max(0, triedAt + retryMs - performance.now());

  async function settle(sessionId: string, writeWhole: (sessionId: string) => Promise<void>): Promise<void> {
    try {
      await writeWhole(sessionId);
    } catch (thrown) {
      if (concernsAll(thrown, files)) throw thrown;
      return;
    }
    await book.settleDeferred(sessionId);
    deferred.delete(sessionId);
  }

  return {
    has: (sessionId: string): boolean => deferred.has(sessionId),
    async reload(): Promise<void> {
      deferred = new Set((await book.listDeferred()).map(({ sessionId }) => sessionId));
    },
    /** Runs a write unless the session is deferred. Throws only errors that concern the whole tree. */
    async guard(sessionId: string, write: () => Promise<void>): Promise<void> {
      if (deferred.has(sessionId)) return;
      try {
        await write();
      } catch (thrown) {
        if (concernsAll(thrown, files)) throw thrown;
        deferred.add(sessionId);
        troubles.noteDeferred(sessionId, explain(thrown));
        await book.noteDeferred(sessionId, explain(thrown));
      }
    },
    settle,
    /** Ends a session's deferral. Call if its files are no longer wanted or all of them are about to be written. */
    async dismiss(sessionId: string): Promise<void> {
      if (deferred.delete(sessionId)) await book.settleDeferred(sessionId);
    },
    /** Retries all deferred sessions if the last attempt was long enough ago. */
    async settleAll(writeWhole: (sessionId: string) => Promise<void>): Promise<void> {
      if (nextInMs() !== 0) return;
      triedAt = performance.now();
      for (const sessionId of deferred) await settle(sessionId, writeWhole);
    },
    nextInMs,
  };
}
