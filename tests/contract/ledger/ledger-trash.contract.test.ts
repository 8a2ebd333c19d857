import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { LedgerStore } from "../../../src/ports/ledger-store.ts";
import {
  allEntries,
  findWords,
  openLedger,
  refusalOf,
  startSession,
  think,
  verifyChain,
} from "../../support/ledger.ts";
import { noon, storeNames } from "../../support/stores/stores.ts";

const later = "2026-11-15T13:00:00.000Z";

const listed = async (store: LedgerStore): Promise<string[]> => {
  const page = await store.listSessions({
    tagMode: "all",
    limit: 50,
    offset: 0,
    sortBy: "createdAt",
    sortOrder: "asc",
  });
  expect(page.total).toBe(page.sessions.length);
  return page.sessions.map(({ id }) => id);
};

const found = async (store: LedgerStore, word: string, order: "relevance" | "newest" = "relevance") => {
  const { hits } = await findWords(store, word, { order });
  return [...new Set(hits.map(({ session }) => session?.id))];
};

describe.each(storeNames)("deleted, restored and renamed sessions, in %s", (backend) => {
  test("a deleted session cannot be listed, read, found or written to", async () => {
    const store = openLedger(backend);
    const gone = await startSession(store, { title: "needle" });
    await think(store, gone, { thought: "needle" });
    await store.loadIndex(gone);
    const kept = await startSession(store, { title: "kept needle" });
    await store.deleteSession(gone, noon);

    expect(await listed(store)).toEqual([kept]);
    expect(await store.readSession(gone)).toBeUndefined();
    expect(await store.readHead(gone)).toBeUndefined();
    expect(await store.readThoughts(gone, { select: "last", count: 5 })).toEqual([]);
    expect(await allEntries(store, gone)).toEqual([]);
    expect((await store.loadIndex(gone)).size).toBe(0);
    for (const order of ["relevance", "newest"] as const) {
      expect(await found(store, "needle", order)).toEqual([kept]);
    }
    for (const call of [
      think(store, gone),
      store.deleteSession(gone, noon),
      store.saveState(gone, { stage: 3 }),
    ]) {
      expect((await refusalOf(call)).code).toBe("SESSION_NOT_FOUND");
    }
  });

  test("a restored session is complete", async () => {
    const store = openLedger(backend);
    const id = await startSession(store, { title: "needle" });
    await think(store, id, { thought: "one" });
    await think(store, id, { branchId: "b", branchFromThought: 1 });
    const before = await allEntries(store, id);
    await store.deleteSession(id, noon);
    await store.restoreSession(id, later);
    expect(await allEntries(store, id)).toEqual(before);
    expect((await store.loadIndex(id)).size).toBe(2);
    expect(await found(store, "needle")).toEqual([id]);
    expect((await think(store, id)).entry.data.thoughtNumber).toBe(2);
    expect(await verifyChain(store, id)).toBe(3);
  });

  test("only a session in the trash can be restored", async () => {
    const store = openLedger(backend);
    const id = await startSession(store);
    for (const call of [store.restoreSession(id, noon), store.restoreSession(randomUUID(), noon)]) {
      expect((await refusalOf(call)).code).toBe("SESSION_NOT_FOUND");
    }
  });

  test("a renamed session is found only by its new words and tags", async () => {
    const store = openLedger(backend);
    const id = await startSession(store, { title: "apples", description: "green", tags: ["fruit"] });
    await store.updateSession(id, { title: "engines", tags: ["machine"] }, later);
    expect((await store.readSession(id))?.session).toMatchObject({
      title: "engines",
      description: "green",
      tags: ["machine"],
      updatedAt: later,
    });
    expect(await found(store, "apples")).toEqual([]);
    expect(await found(store, "fruit")).toEqual([]);
    for (const word of ["engine", "green", "machine"]) expect(await found(store, word)).toEqual([id]);
    const half = await refusalOf(
      store.updateSession(id, { title: "cut", tags: ["fine", "half\u0000"] }, later),
    );
    expect(half.code).toBe("INVALID_PAYLOAD");
    expect((await store.readSession(id))?.session.title).toBe("engines");
  });
});
