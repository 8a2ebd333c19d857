import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openLedger, refusalOf, sessionDraft, startSession, think } from "../../support/ledger.ts";
import { openStore, storeNames } from "../../support/stores/stores.ts";
import { tempDir } from "../../support/temp-dir.ts";

const minute = (n: number) => new Date(Date.UTC(2026, 10, 15, 12, n)).toISOString();

/** Concurrent calls share a commit, but must behave as if they did not. */
describe.each(storeNames)("writes that share a commit on %s", (backend) => {
  test("count the thoughts of several sessions separately, including forks", async () => {
    const store = openLedger(backend);
    const [one, other] = [await startSession(store), await startSession(store)];
    const receipts = await Promise.all([
      think(store, one, { timestamp: minute(3) }),
      think(store, other, { timestamp: minute(1) }),
      think(store, one, { timestamp: minute(2), branchId: "b", branchFromThought: 1 }),
      think(store, one, { timestamp: minute(1), branchId: "b" }),
      think(store, other, { timestamp: minute(9), nextThoughtNeeded: false }),
    ]);
    const seqs = receipts.map(({ entry }) => entry.seq);
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    expect(new Set(seqs).size).toBe(5);
    expect(receipts.map(({ thoughtCount, branchCount }) => [thoughtCount, branchCount])).toEqual([
      [1, 0],
      [1, 0],
      [2, 1],
      [3, 1],
      [2, 0],
    ]);
    expect((await store.readSession(one))?.session).toMatchObject({
      thoughtCount: 3,
      branchCount: 1,
      updatedAt: minute(3),
      status: "active",
    });
    expect((await store.readSession(other))?.session).toMatchObject({
      thoughtCount: 2,
      status: "completed",
      completedAt: minute(9),
    });
    expect(await store.readHead(one)).toEqual({ length: 3, hash: receipts[3]?.entry.hash });
  });

  test("leave no gap for a refused thought", async () => {
    const store = openLedger(backend);
    const id = await startSession(store);
    const [first, refusal, second] = await Promise.all([
      think(store, id),
      refusalOf(think(store, id, { thoughtNumber: 1 })),
      think(store, id),
    ]);
    expect(refusal.code).toBe("INVALID_PAYLOAD");
    expect([first.entry.position, second.entry.position]).toEqual([1, 2]);
    expect(second.entry.prevHash).toBe(first.entry.hash);
    expect(second.entry.seq).toBe(first.entry.seq + 1);
  });

  test("see the writes before them in the same commit", async () => {
    const store = openLedger(backend);
    const id = await startSession(store);
    const fresh = sessionDraft();
    const [before, , , after, begun, gone] = await Promise.all([
      think(store, id, { timestamp: minute(1) }),
      store.updateSession(id, { title: "Another title" }, minute(2)),
      store.createSession(fresh),
      think(store, id, { timestamp: minute(3) }),
      think(store, fresh.id, { timestamp: minute(3) }),
      store.deleteSession(fresh.id, minute(4)).then(() => "gone"),
      refusalOf(think(store, fresh.id)).then(({ code }) => expect(code).toBe("SESSION_NOT_FOUND")),
    ]);
    expect(after.entry).toMatchObject({ position: 2, prevHash: before.entry.hash });
    expect([begun.entry.position, gone]).toEqual([1, "gone"]);
    expect(begun.entry.seq).toBeGreaterThan(after.entry.seq);
    expect((await store.readSession(id))?.session).toMatchObject({
      title: "Another title",
      thoughtCount: 2,
      updatedAt: minute(3),
    });
    await store.restoreSession(fresh.id, minute(5));
    expect((await store.readSession(fresh.id))?.session.thoughtCount).toBe(1);
    expect((await think(store, fresh.id)).entry.position).toBe(2);
  });

  test("do not disturb a subscriber or a backup, even if there are a thousand", async () => {
    const { ledger, feed, upkeep } = openStore(backend);
    const id = await startSession(ledger);
    const followed: number[] = [];
    const stop = feed.onChange(() => void follow());
    let failed: unknown;
    async function follow(): Promise<void> {
      const entries = await feed.readFeed(followed.at(-1) ?? 0, 10_000).catch((thrown) => {
        failed ??= thrown;
        return [];
      });
      for (const { seq } of entries) if (seq > (followed.at(-1) ?? 0)) followed.push(seq);
    }
    const thinking = Array.from({ length: 1_000 }, () => think(ledger, id));
    const path = join(tempDir(), "copy.db");
    const backup = thinking[300]?.then(() => upkeep.backup?.(path));
    const receipts = await Promise.all(thinking);
    if (upkeep.backup) expect((await backup)?.thoughts).toBeGreaterThan(300);
    await follow();
    stop();
    expect(failed).toBeUndefined();
    expect(followed.slice(-1_000)).toEqual(receipts.map(({ entry }) => entry.seq));
  });

  test("record one thought if the same key occurs twice", async () => {
    const store = openLedger(backend);
    const id = await startSession(store);
    const once = { key: "k", fingerprint: "f" };
    const [first, again] = await Promise.all([think(store, id, { once }), think(store, id, { once })]);
    expect([first.replayed, again.replayed]).toEqual([false, true]);
    expect(again.entry.hash).toBe(first.entry.hash);
    expect((await store.readSession(id))?.session.thoughtCount).toBe(1);
  });
});
