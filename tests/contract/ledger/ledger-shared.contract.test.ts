import { join } from "node:path";
import { expect, test } from "vitest";
import { findWords, openLedger, startSession, think, verifyChain } from "../../support/ledger.ts";
import { lastingStores } from "../../support/stores/stores.ts";
import { tempDir } from "../../support/temp-dir.ts";

const dataDir = () => join(tempDir(), "a", "data");

test.each(lastingStores)(
  "a second store on the same directory sees every commit of the first immediately, in %s",
  async (backend) => {
    const directory = dataDir();
    const [one, two] = [openLedger(backend, { directory }), openLedger(backend, { directory })];
    const id = await startSession(one, { title: "shared" });
    await think(one, id, { thought: "first needle" });
    expect((await two.loadIndex(id)).chain()).toEqual([1]);
    expect((await findWords(two, "needle")).hits).toHaveLength(1);

    await think(one, id, { thought: "second needle" });
    await think(two, id, { thought: "third needle", branchId: "b", branchFromThought: 2 });
    for (const store of [one, two]) {
      const index = await store.loadIndex(id);
      expect([index.chain(), index.chain("b")]).toEqual([[1, 2], [3]]);
      expect((await findWords(store, "needle")).hits).toHaveLength(3);
      expect(await verifyChain(store, id)).toBe(3);
    }
  },
);

test.each(lastingStores)(
  "two stores that write at the same time take turns without failing, in %s",
  async (backend) => {
    const directory = dataDir();
    const stores = [openLedger(backend, { directory }), openLedger(backend, { directory })] as const;
    const id = await startSession(stores[0]);
    const work = Array.from({ length: 300 }, (_, n) => think(stores[n % 2 === 0 ? 0 : 1], id));
    const numbers = (await Promise.all(work)).map(({ entry }) => entry.data.thoughtNumber);
    expect(new Set(numbers).size).toBe(300);
    expect(await verifyChain(stores[1], id)).toBe(300);
  },
);
