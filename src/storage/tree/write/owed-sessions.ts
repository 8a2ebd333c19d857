import type { ProjectionBook } from "../../../ports/projection-book.ts";
import type { TreeFiles } from "../tree-files.ts";
import { concernsAll, explain, type TroubleLog } from "../tree-trouble.ts";

const retryMs = 30_000;

export type OwedSessions = ReturnType<typeof createOwedSessions>;

/**
 * A folder that cannot be written must not hold up all others: its session is written down as owed, passed over,
 * and later written as a whole.
 */
export function createOwedSessions(book: ProjectionBook, files: TreeFiles, troubles: TroubleLog) {
  let owed = new Set<string>();
  let triedAt = Number.NEGATIVE_INFINITY;

  /** `undefined` when nothing is owed. */
  const nextInMs = (): number | undefined =>
    owed.size === 0 ? undefined : Math.max(0, triedAt + retryMs - performance.now());

  async function settle(sessionId: string, writeWhole: (sessionId: string) => Promise<void>): Promise<void> {
    try {
      await writeWhole(sessionId);
    } catch (thrown) {
      if (concernsAll(thrown, files)) throw thrown;
      return;
    }
    await book.settleOwed(sessionId);
    owed.delete(sessionId);
  }

  return {
    has: (sessionId: string): boolean => owed.has(sessionId),
    async reload(): Promise<void> {
      owed = new Set((await book.listOwed()).map(({ sessionId }) => sessionId));
    },
    /** Runs a write, or passes over it. Throws only what concerns the whole tree. */
    async guard(sessionId: string, write: () => Promise<void>): Promise<void> {
      if (owed.has(sessionId)) return;
      try {
        await write();
      } catch (thrown) {
        if (concernsAll(thrown, files)) throw thrown;
        owed.add(sessionId);
        troubles.noteOwed(sessionId, explain(thrown));
        await book.noteOwed(sessionId, explain(thrown));
      }
    },
    settle,
    /** Its files are no longer wanted, or will be written as a whole. */
    async dismiss(sessionId: string): Promise<void> {
      if (owed.delete(sessionId)) await book.settleOwed(sessionId);
    },
    /** Tries all again, now and then. */
    async settleAll(writeWhole: (sessionId: string) => Promise<void>): Promise<void> {
      if (nextInMs() !== 0) return;
      triedAt = performance.now();
      for (const sessionId of owed) await settle(sessionId, writeWhole);
    },
    nextInMs,
  };
}
