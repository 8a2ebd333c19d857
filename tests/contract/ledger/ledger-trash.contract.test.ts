import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Note } from "../../../src/domain/knowledge/note.ts";
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
import { noon, openStore, storeNames } from "../../support/stores/stores.ts";

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

  test("a page of hits has no gaps where deleted sessions were", async () => {
    const store = openLedger(backend);
    const kept = await startSession(store, { title: "needle" });
    await think(store, kept, { thought: "a needle in a large stack of hay" });
    const gone = await startSession(store, { title: "needle" });
    await think(store, gone, { thought: "needle" });
    await store.deleteSession(gone, noon);
    for (const order of ["relevance", "newest"] as const)
      for (const offset of [0, 1]) {
        const { hits } = await findWords(store, "needle", { order, limit: 1, offset });
        expect(hits.map(({ session }) => session?.id)).toEqual([kept]);
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

  test("a session that is restored while the trash is emptied is kept", async () => {
    const { ledger, trash } = openStore(backend);
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const id = await startSession(ledger, { title: `session ${n}` });
      await think(ledger, id, { thought: `${n}` });
      await ledger.deleteSession(id, noon);
      ids.push(id);
    }
    const restored = ids.at(-1) ?? "";
    const emptying = trash.emptyTrash();
    await ledger.restoreSession(restored, later);
    const { sessions } = await emptying;
    expect(sessions.map(({ id }) => id).sort()).toEqual(ids.filter((id) => id !== restored).sort());
    expect(await allEntries(ledger, restored)).toHaveLength(1);
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

const note = (id: string, content: string, updatedAt: string): Note => ({
  ...{ kind: "scratchpad", id, title: id, description: "", tags: [], content },
  ...{ derivedFromSessions: [], createdAt: noon, updatedAt },
});

describe.each(storeNames)("erased items, in %s", (backend) => {
  test("only a note without a live version counts as deleted, once, as it last was", async () => {
    const { knowledge, trash } = openStore(backend);
    await knowledge.putNote("p", note("changed", "one", noon));
    await knowledge.putNote("p", note("changed", "two", later));
    await knowledge.putNote("p", note("gone", "one", noon));
    await knowledge.putNote("p", note("gone", "two", later));
    await knowledge.deleteNote("p", "scratchpad", "gone", later);

    const [thing] = (await trash.listTrash(10)).things;
    expect(await trash.listTrash(10)).toEqual({ things: [thing], total: 1 });
    expect(thing).toEqual({ kind: "scratchpad", id: "gone", title: "gone", place: "p", deletedAt: later });
    expect(await trash.listTrashedNotes(10, 0)).toEqual([
      { project: "p", note: note("gone", "two", later), deletedAt: later },
    ]);
    expect(await trash.emptyTrash()).toEqual({ sessions: [], notebooks: [], notes: 1 });
    expect(await trash.listTrash(10)).toEqual({ things: [], total: 0 });
    expect((await knowledge.readNote("p", "scratchpad", "changed"))?.content).toBe("two");
    expect(await knowledge.restoreNote("p", "scratchpad", "gone")).toBeUndefined();
  });

  test("emptying the trash erases its sessions and notebooks, and keeps the rest", async () => {
    const { ledger, notebooks, trash } = openStore(backend);
    const [gone, kept] = [await startSession(ledger), await startSession(ledger)];
    for (const id of [gone, kept]) {
      await think(ledger, id, { thought: "one" });
      await think(ledger, id, { branchId: "b", branchFromThought: 1 });
    }
    const notebook = { project: "p", language: "javascript" as const, net: false, cells: [], at: 1 };
    const [scrap, book] = [randomUUID(), randomUUID()];
    for (const id of [scrap, book]) await notebooks.createNotebook({ ...notebook, id }, undefined);
    await ledger.deleteSession(gone, noon);
    await notebooks.trashNotebook("p", scrap, 2);

    const kinds = (await trash.listTrash(10)).things.map(({ kind, id }) => [kind, id]);
    expect(kinds).toEqual([
      ["session", gone],
      ["notebook", scrap],
    ]);
    expect(await trash.eraseSessions([kept])).toEqual([]);
    expect(await trash.emptyTrash()).toEqual({
      sessions: [{ id: gone, project: "_default" }],
      notebooks: [{ id: scrap, project: "p" }],
      notes: 0,
    });
    expect((await refusalOf(ledger.restoreSession(gone, later))).code).toBe("SESSION_NOT_FOUND");
    expect(await notebooks.restoreNotebook("p", scrap, 3)).toBeUndefined();
    expect(await allEntries(ledger, kept)).toHaveLength(2);
    expect((await notebooks.readNotebook("p", book))?.id).toBe(book);
  });
});
