import type { LedgerImport } from "../../../ports/ledger-import.ts";
import type { LedgerStore } from "../../../ports/ledger-store.ts";
import type { RunningTree } from "../ledger-tree.ts";

/**
 * The store as the program uses it when there is a tree: the first write begins the projection, so a client
 * that only probes leaves no trace, and an append waits while the files are far behind. Nothing else differs,
 * and nothing of the tree can make a write fail.
 */
export function followWrites<Store extends LedgerStore & LedgerImport>(
  store: Store,
  tree: Pick<RunningTree, "start" | "throttle" | "noteAppended">,
  onFirstWrite: () => void,
): Store {
  let begun = false;

  function begin(): void {
    if (begun) return;
    begun = true;
    onFirstWrite();
    tree.start();
  }

  /** After the write, because it is the store that makes the data directory. */
  const beginning =
    <Args extends unknown[], Result>(write: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const result = await write(...args);
      begin();
      return result;
    };

  return {
    ...store,
    createSession: beginning(store.createSession),
    updateSession: beginning(store.updateSession),
    deleteSession: beginning(store.deleteSession),
    restoreSession: beginning(store.restoreSession),
    attachCritique: beginning(store.attachCritique),
    importParts: beginning(store.importParts),
    append: beginning(async (request) => {
      await tree.throttle();
      const receipt = await store.append(request);
      tree.noteAppended(receipt.entry.seq);
      return receipt;
    }),
  };
}
