import type { Run } from "../../connection/access.ts";

/** Keys of one slice: a few milliseconds each. */
export const sliceSize = 250;

/** How a large merge goes about it, and whom it tells. */
export type MergeRun = {
  read: Run;
  write: Run;
  nowMs(): number;
  signal: AbortSignal;
  /** Told after each slice, in keys. */
  tell(done: number): void;
};

export function* slicesOf<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let from = 0; from < items.length; from += sliceSize) yield items.slice(from, from + sliceSize);
}

/** Others get their turn. Ends a merge that nobody waits for any more. */
export async function yieldTurn({ signal }: MergeRun): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal.throwIfAborted();
}
