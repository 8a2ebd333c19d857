import { smallest } from "../../../kernel/numbers.ts";
import type { ProjectionBook } from "../../../ports/tree.ts";
import { concernsAll, explain, type TreeFiles, type TroubleLog } from "../tree-files.ts";

/** A manifest lists every file in its session, so it is not written for every thought. */
const atMostEveryMs = 1_000;
/** Manifests of very long sessions take longer to write. Each is followed by a pause this many times as long. */
const restsAfter = 25;

const remembered = 5_000;

export type DueManifests = ReturnType<typeof createDueManifests>;

/** Which manifests are behind their session's files, since which `seq`, and when each may be written again. */
export function createDueManifests() {
  const behindSince = new Map<string, number>();
  const notBefore = new Map<string, number>();

  const dueAt = (sessionId: string): number => notBefore.get(sessionId) ?? Number.NEGATIVE_INFINITY;

  return {
    note(sessionId: string, seq: number): void {
      behindSince.set(sessionId, Math.min(seq, behindSince.get(sessionId) ?? seq));
    },
    isBehind: (sessionId: string): boolean => behindSince.has(sessionId),
    /** The manifests that are behind. Unless `regardless`, only those that may be written now. */
    due(regardless: boolean): string[] {
      const now = performance.now();
      return [...behindSince.keys()].filter((sessionId) => regardless || dueAt(sessionId) <= now);
    },
    /** Clears the mark before the manifest is written, so that a thought that arrives in the meantime sets it again. */
    async bringUpToDate(sessionId: string, write: () => Promise<void>): Promise<void> {
      const since = behindSince.get(sessionId);
      const began = performance.now();
      behindSince.delete(sessionId);
      try {
        await write();
      } catch (thrown) {
        if (since !== undefined) this.note(sessionId, since);
        throw thrown;
      }
      const now = performance.now();
      if (notBefore.size >= remembered) notBefore.clear();
      notBefore.set(sessionId, now + Math.max(atMostEveryMs, (now - began) * restsAfter));
    },
    forget: (sessionId: string): void => void behindSince.delete(sessionId),
    clear: (): void => behindSince.clear(),
    /** How long until the next one may be written. `undefined` if none is behind. */
    nextInMs(): number | undefined {
      if (behindSince.size === 0) return undefined;
      return Math.max(0, smallest([...behindSince.keys()].map(dueAt)) - performance.now());
    },
    /** Everything before this `seq` is in files and in manifests. */
    settledBefore: (): number => smallest(behindSince.values()),
  };
}

const retryMs = 30_000;

export type DeferredSessions = ReturnType<typeof createDeferredSessions>;

/**
 * A folder that cannot be written must not delay the others. Its session is recorded as deferred, skipped,
 * and later written as a whole.
 */
export function createDeferredSessions(book: ProjectionBook, files: TreeFiles, troubles: TroubleLog) {
  let deferred = new Set<string>();
  let triedAt = Number.NEGATIVE_INFINITY;

  /** `undefined` if nothing is deferred. */
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
    /** Runs a write, or skips it if the session is deferred. Only throws errors that concern the whole tree. */
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
    /** Call if the session's files are no longer wanted, or will be written as a whole. */
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
