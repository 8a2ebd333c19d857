import type { OperationContext } from "../../../pipeline/context.ts";

/**
 * If a process has not renewed a run or queue for this long, the run is treated as interrupted, or the queue
 * as expired.
 */
export const aliveMs = 15_000;
const renewMs = 3_000;

/** Keeps a run or queue alive until the returned function is called or the process is killed. */
export function keepRenewing(
  { clock }: Pick<OperationContext, "clock">,
  renew: (expiresAt: number) => Promise<void>,
): () => void {
  const timer = setInterval(() => {
    // The next renewal tries again. If the store stays unavailable, recording the end of the run fails, and the caller
    // sees the error.
    renew(clock().getTime() + aliveMs).catch(() => {});
  }, renewMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** The cells that a call still has to run. Readers see these cells as queued. */
export type JoinedQueue = {
  without(cellId: string): { id: number; cells: string[] };
  leave(): Promise<void>;
};

/** Joins the queue. The caller must leave it, even if the run fails. */
export async function joinQueue(
  context: Pick<OperationContext, "notebooks" | "clock">,
  notebookId: string,
  cellIds: readonly string[],
): Promise<JoinedQueue | undefined> {
  const { notebooks, clock } = context;
  const at = clock().getTime();
  const id = await notebooks.joinQueue({ notebookId, cells: cellIds, at, expiresAt: at + aliveMs });
  if (id === undefined) return undefined;
  const stopRenewing = keepRenewing(context, (expiresAt) => notebooks.renewQueue(id, expiresAt));
  return {
    without: (cellId) => ({ id, cells: cellIds.slice(cellIds.indexOf(cellId) + 1) }),
    async leave() {
      stopRenewing();
      // The runs are already recorded, and the caller needs their results. The queue expires by itself.
      await notebooks.leaveQueue(id).catch(() => {});
    },
  };
}
