import type { OperationContext } from "../../../pipeline/context.ts";

/** A run counts as interrupted, and a queue as gone, if its process has not renewed it for this long. */
export const aliveMs = 15_000;
const renewMs = 3_000;

/** A killed process renews nothing, so readers soon see that it is gone. */
export function keepRenewing(
  { clock }: Pick<OperationContext, "clock">,
  renew: (expiresAt: number) => Promise<void>,
): () => void {
  const timer = setInterval(() => {
    // The next renewal tries again. If the store stays unavailable, the end of the run fails, and the caller sees that.
    renew(clock().getTime() + aliveMs).catch(() => {});
  }, renewMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** The cells that a call has still to run, which readers see as queued. */
export type JoinedQueue = {
  /** The queue after this cell has started. */
  without(cellId: string): { id: number; cells: string[] };
  leave(): Promise<void>;
};

/** The caller must leave the queue, even if it fails. */
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
      // The runs are recorded by now, and the caller needs their results. The marks expire by themselves.
      await notebooks.leaveQueue(id).catch(() => {});
    },
  };
}
