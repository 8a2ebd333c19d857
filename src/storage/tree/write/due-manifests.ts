import { smallest } from "../../../kernel/numbers.ts";

/** The minimum time between two writes of a manifest. Each write lists all files in the session. */
const atMostEveryMs = 1_000;
/**
 * The minimum pause after writing a manifest, as a multiple of the time that the write took. The manifest of
 * a longer session takes longer to write.
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
    /** Clears the mark before it writes the manifest, so that a thought that arrives in the meantime sets it again. */
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
    /** Returns how long until the next manifest may be written. `undefined` if no manifest is behind. */
    nextInMs(): number | undefined {
      if (behindSince.size === 0) return undefined;
      return Math.max(0, smallest([...behindSince.keys()].map(dueAt)) - performance.now());
    },
    /** Returns the `seq` before which every manifest is up to date. */
    settledBefore: (): number => smallest(behindSince.values()),
  };
}
