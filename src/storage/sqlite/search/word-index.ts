import { createWhenQuiet } from "../../../kernel/clock.ts";
import type { WithConnection } from "../connection/access.ts";
import type { Connection } from "../connection/open-database.ts";
import type { BatchSize, WordSource } from "./word-sources.ts";

const pause = { quietMs: 250, patienceMs: 5_000 };

export type WordIndex = {
  /** Indexes pending rows. Returns how many remain: more than 0 only if the store is not writable. */
  catchUp(tell?: (remaining: number) => void): Promise<number>;
  /** Works like `catchUp`, but in pieces, so that a background process does not delay other processes. */
  catchUpInPieces(): Promise<void>;
  countPending(): Promise<number>;
  later(): void;
  stop(): void;
};

/**
 * Indexes full text after the acknowledgement, in batches that start at a watermark. This way, indexing a row takes
 * microseconds and needs no separate commit. A search calls `catchUp` first, so it never misses anything.
 */
export function createWordIndex(
  submit: WithConnection,
  read: WithConnection,
  { countPending, isFarBehind, indexBatch }: WordSource,
  onTrouble: (thrown: unknown) => void,
): WordIndex {
  let stopped = false;
  let inTrouble = false;
  const waiting = createWhenQuiet(() => void catchUpUnasked(), pause);

  /** Indexes in the background. Reports only the first failure until indexing works again. */
  async function catchUpUnasked(): Promise<void> {
    const { trouble } = await indexPending("due", "small").catch((thrown) => ({ trouble: { thrown } }));
    if (trouble && !inTrouble && !stopped) onTrouble(trouble.thrown);
    inTrouble = trouble !== undefined;
  }

  /**
   * Indexes pending rows. `remaining` is more than 0 only if the store is not writable. With `due`, rows that
   * arrive in the meantime wait for the next pause, because each commit of a busy caller would otherwise
   * index a single row.
   */
  async function indexPending(
    which: "due" | "all",
    size: BatchSize,
    tell: (remaining: number) => void = () => {},
  ): Promise<{ remaining: number; trouble?: { thrown: unknown } }> {
    const batch = (connection: Connection) => indexBatch(connection, size);
    let remaining = await read(countPending);
    try {
      if (remaining === 0 && (await read(isFarBehind))) await submit(batch);
      while (remaining > 0 && !stopped) {
        tell(remaining);
        const indexed = await submit(batch);
        if (remaining > indexed && indexed > 0) remaining -= indexed;
        // Other processes may have written in the meantime, so the remaining rows are counted again. Counting
        // visits every one of them, so it happens only at the end.
        else remaining = which === "all" ? await read(countPending) : 0;
      }
    } catch (thrown) {
      return { remaining, trouble: { thrown } };
    }
    return { remaining };
  }

  return {
    countPending: () => read(countPending),
    catchUp: async (tell) => (await indexPending("all", "large", tell)).remaining,
    async catchUpInPieces() {
      waiting.cancel();
      const { trouble } = await indexPending("due", "small");
      if (trouble) throw trouble.thrown;
    },
    /** Called after appends. Indexes in small pieces when the writer pauses. */
    later(): void {
      if (!stopped) waiting.later();
    },
    /** Stops indexing in this process. The next process indexes the rest. */
    stop(): void {
      stopped = true;
      waiting.cancel();
    },
  };
}
