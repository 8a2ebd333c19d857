import type { LedgerStore } from "../../../ports/ledger-store.ts";
import type { RunningTree } from "../ledger-tree.ts";

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
