import type { OpenTranscriptPlan } from "./read-transcript.ts";

/** More sessions than usually run at the same time on one machine. */
const most = 24;

export type OpenPlans = ReturnType<typeof createOpenPlans>;

/**
 * Transcripts that this process has read, so that one that grew is continued. Others are read from the beginning, which
 * gives the same thoughts.
 */
export function createOpenPlans() {
  const plans = new Map<string, OpenTranscriptPlan>();
  const turns = new Map<string, Promise<unknown>>();
  return {
    find: (key: string) => plans.get(key),
    /** Evicts the least recently used one. */
    keep(key: string, plan: OpenTranscriptPlan): void {
      plans.delete(key);
      plans.set(key, plan);
      for (const oldest of plans.keys()) {
        if (plans.size <= most) break;
        plans.delete(oldest);
      }
    },
    forget: (key: string) => void plans.delete(key),
    /** One reader at a time, because two would plan the same lines. */
    async inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
      const before = turns.get(key) ?? Promise.resolve();
      const mine = before.then(work, work);
      turns.set(key, mine);
      try {
        return await mine;
      } finally {
        if (turns.get(key) === mine) turns.delete(key);
      }
    },
  };
}
