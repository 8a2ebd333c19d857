import type { FeedEntry } from "../../ports/feed.ts";
import { defer } from "./deferred.ts";

/** Creates a consumer that records numbers. A test can stall it, or wait until it has received enough. */
export function createCollector() {
  const seqs: number[] = [];
  const pages: number[] = [];
  let gate = Promise.resolve();
  let wanted = { seq: Number.POSITIVE_INFINITY, reached: () => {} };

  return {
    seqs,
    /** The number of entries in each delivery. */
    pages,
    async onEntries(entries: readonly FeedEntry[]): Promise<void> {
      pages.push(entries.length);
      seqs.push(...entries.map(({ seq }) => seq));
      if ((seqs.at(-1) ?? 0) >= wanted.seq) wanted.reached();
      await gate;
    },
    /** Delays every delivery until the returned function is called. */
    stall(): () => void {
      const { promise, resolve } = defer();
      gate = promise;
      return resolve;
    },
    async until(seq: number): Promise<void> {
      if ((seqs.at(-1) ?? 0) >= seq) return;
      await new Promise<void>((reached) => {
        wanted = { seq, reached };
      });
    },
  };
}

export const upTo = (last: number, first = 1): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);
