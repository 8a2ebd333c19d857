import { smallest } from "../../../kernel/numbers.ts";

/** A manifest lists every file in its session, so it is not written for every thought. */
const atMostEveryMs = 1_000;
/**
 * The longer a session, the longer its manifest takes to write. The pause after each write is this many times
 * as long as the write.
 */
const restsAfter = 25;

const remembered = 5_000;

export type DueManifests = ReturnType<typeof createDueManifests>;

/** Tracks which manifests are behind their session's files, since which `seq`, and when each may be written again. */
export function createDueManifests() {
  const behindSince = new Map<string, number>();
  const notBefore = new Map<string, number>();

  const dueAt = (sessionId: string): number => notBefore.get(sessionId) ?? Number.NEGATIVE_INFINITY;

  return {
    note(sessionId: string, seq: number): void {
      behindSince.set(sessionId, Math.min(seq, behindSince.get(sessionId) ?? seq));
    },
    isBehind: (sessionId: string): boolean => behindSince.has(sessionId),
    /**
     * Returns the sessions whose manifests are behind. Unless `regardless` is set, returns only those whose
     * manifests may be written now.
     */
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
    /** How long until the next manifest may be written. `undefined` if no manifest is behind. */
    nextInMs(): number | undefined {
      if (behindSince.size === 0) return undefined;
      return Math.max(0, smallest([...behindSince.keys()].map(dueAt)) - performance.now());
    },
    /** Everything before this `seq` is in files and in manifests. */
    settledBefore: (): number => smallest(behindSince.values()),
  };
}
