import { describe, expect, test } from "vitest";
import { openLedger, refusalOf, startSession, think, verifyChain } from "../../support/ledger.ts";
import { storeNames } from "../../support/stores/stores.ts";

const once = (key: string, fingerprint = "same") => ({ once: { key, fingerprint } });

describe.each(storeNames)("idempotency keys in %s", (backend) => {
  test("a thought that is sent again gets the first result, marked as a replay", async () => {
    const store = openLedger(backend);
    const id = await startSession(store);
    const first = await think(store, id, { thought: "once", ...once("k") });
    await think(store, id, { thought: "in between" });
    const again = await think(store, id, { thought: "once", ...once("k") });
    expect(first.replayed).toBe(false);
    expect(again).toEqual({ ...first, thoughtCount: 2, replayed: true });
    expect(await verifyChain(store, id)).toBe(2);
  });

  test("a key with different content is refused, and the first result is kept", async () => {
    const store = openLedger(backend);
    const id = await startSession(store);
    await think(store, id, { thought: "first", ...once("k", "one") });
    const refusal = await refusalOf(think(store, id, { thought: "second", ...once("k", "other") }));
    expect(refusal.code).toBe("INVALID_PAYLOAD");
    expect(refusal.reason).toBe("key_reused");
    expect(await verifyChain(store, id)).toBe(1);
  });

  test("two concurrent calls with one key store one thought, and both get its number", async () => {
    const store = openLedger(backend);
    const id = await startSession(store);
    const receipts = await Promise.all([think(store, id, once("k")), think(store, id, once("k"))]);
    expect(receipts.map(({ replayed }) => replayed)).toEqual([false, true]);
    expect(receipts[1]?.entry).toEqual(receipts[0]?.entry);
    expect(await verifyChain(store, id)).toBe(1);
  });

  test("the key of a refused call can be used again", async () => {
    const store = openLedger(backend);
    const id = await startSession(store);
    await refusalOf(think(store, id, { revisesThought: 1, ...once("k") }));
    await think(store, id);
    const { replayed, entry } = await think(store, id, { revisesThought: 1, ...once("k") });
    expect(replayed).toBe(false);
    expect(entry.data.thoughtNumber).toBe(2);
  });

  test("a key applies only within its session", async () => {
    const store = openLedger(backend);
    const [one, two] = [await startSession(store), await startSession(store)];
    await think(store, one, once("k"));
    expect((await think(store, two, once("k", "other"))).replayed).toBe(false);
  });

  test("starting a session again with its key returns the first session", async () => {
    const store = openLedger(backend);
    const [first, again] = await Promise.all([
      startSession(store, { title: "t", ...once("k") }),
      startSession(store, { title: "t", ...once("k") }),
    ]);
    expect(again).toBe(first);
    const elsewhere = await startSession(store, { title: "t", project: "other", ...once("k") });
    expect(elsewhere).not.toBe(first);
    const refusal = await refusalOf(startSession(store, { title: "u", ...once("k", "other") }));
    expect(refusal.code).toBe("INVALID_PAYLOAD");
    const { total } = await store.listSessions({
      tagMode: "all",
      limit: 1,
      offset: 0,
      sortBy: "title",
      sortOrder: "asc",
    });
    expect(total).toBe(2);
  });
});
