import { join } from "node:path";
import { expect, test } from "vitest";
import { openRaw } from "../support/disk/raw-database.ts";
import { openLedger, startSession, think, verifyChain } from "../support/ledger.ts";
import { tempDir } from "../support/temp-dir.ts";
import { eventually } from "../support/views/tree.ts";

const enough = 70;

test("the log is checkpointed after many commits by any store and a pause", async () => {
  const directory = join(tempDir(), "data");
  const stores = [openLedger("fs", { directory }), openLedger("fs", { directory })] as const;
  const id = await startSession(stores[0]);
  const raw = openRaw(directory);
  const pagesLeft = () => {
    const { log, checkpointed } = raw.prepare("PRAGMA wal_checkpoint(NOOP)").get() ?? {};
    return Number(log) - Number(checkpointed);
  };
  await think(stores[0], id);
  expect(pagesLeft()).toBeGreaterThan(0);
  for (let n = 0; n < enough; n += 1) for (const store of stores) await think(store, id);
  await eventually(() => pagesLeft() === 0);
  expect(await verifyChain(stores[1], id)).toBe(1 + 2 * enough);
  expect((await think(stores[1], id)).entry.position).toBe(2 + 2 * enough);
});
