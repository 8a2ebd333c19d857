import { setTimeout as sleep } from "node:timers/promises";
import type { LedgerStore } from "../../../ports/ledger-store.ts";
import type { RunningTree } from "../ledger-tree.ts";

/** So many thoughts may wait for their files before further ones wait for the files. */
const maxPending = 20_000;
const lookAgainMs = 20;
/** Files that do not get on are no reason to hold up thoughts. */
const patienceMs = 1_000;

export type BackPressureParts = {
  pending(): number;
  /** Looks afresh at how far another process's writing is. */
  refresh(): Promise<void>;
  isStalled(): boolean;
  hasten(): void;
};

/** Resolves at once unless the tree is far behind and catching up; then when it is near again. */
export function createBackPressure({ pending, refresh, isStalled, hasten }: BackPressureParts) {
  return async (): Promise<void> => {
    if (pending() < maxPending) return;
    await refresh();
    let least = pending();
    let since = performance.now();
    while (pending() >= maxPending && !isStalled()) {
      hasten();
      await sleep(lookAgainMs, undefined, { ref: false });
      await refresh();
      const now = pending();
      if (now < least) [least, since] = [now, performance.now()];
      else if (performance.now() - since > patienceMs) return;
    }
  };
}

/** An append waits while the files are far behind. Nothing of the tree can make it fail. */
export function withBackPressure(
  ledger: LedgerStore,
  tree: Pick<RunningTree, "throttle" | "noteAppended">,
): LedgerStore {
  return {
    ...ledger,
    async append(request) {
      await tree.throttle();
      const receipt = await ledger.append(request);
      tree.noteAppended(receipt.entry.seq);
      return receipt;
    },
  };
}
