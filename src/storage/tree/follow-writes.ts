import type { LedgerStore } from "../../ports/ledger-store.ts";
import type { RunningTree } from "./ledger-tree.ts";

/**
 * The store as the program uses it when there is a tree: the first write begins the projection, so a client
 * that only probes leaves no trace, and an append waits while the files are far behind. Nothing else differs,
 * and nothing of the tree can make a write fail.
 */
export function followWrites(
  ledger: LedgerStore,
  tree: Pick<RunningTree, "start" | "throttle" | "noteAppended">,
  onFirstWrite: () => void,
): LedgerStore {
  let begun = false;
  const begin = () => {
    if (begun) return;
    begun = true;
    onFirstWrite();
    tree.start();
  };
  return {
    ...ledger,
    async createSession(draft) {
      const record = await ledger.createSession(draft);
      begin();
      return record;
    },
    async append(request) {
      await tree.throttle();
      const receipt = await ledger.append(request);
      tree.noteAppended(receipt.entry.seq);
      begin();
      return receipt;
    },
  };
}
