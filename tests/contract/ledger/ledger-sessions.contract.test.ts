import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { LedgerStore, SessionQuery } from "../../../src/ports/ledger-store.ts";
import { openLedger, refusalOf, sessionDraft, startSession, think } from "../../support/ledger.ts";
import { noon, storeNames } from "../../support/stores/stores.ts";

const firstPage = { tagMode: "all", limit: 50, offset: 0 } as const;

async function list(store: LedgerStore, more: Partial<SessionQuery> = {}) {
  const page = await store.listSessions({
    ...firstPage,
    sortBy: "createdAt",
    sortOrder: "asc",
    ...more,
  });
  return { titles: page.sessions.map(({ title }) => title), total: page.total };
}

const day = (n: number) => `2026-11-${String(n).padStart(2, "0")}T08:00:00.000Z`;

describe.each(storeNames)("sessions in %s", (backend) => {
  test("a session is read back as it was created", async () => {
    const store = openLedger(backend);
    const draft = sessionDraft({
      title: "Logins time out \u{1F552} 'quoted'",
      description: "since noon",
      tags: ["prod", "login", "prod"],
      partitionPath: "2026-11",
      state: { stage: 1, domain: "debugging", boundRoot: "file:///srv", navigation: { task: "t" } },
    });
    const created = await store.createSession(draft);
    expect(created).toEqual({
      session: {
        id: draft.id,
        project: "_default",
        title: draft.title,
        description: "since noon",
        tags: ["prod", "login", "prod"],
        partitionPath: "2026-11",
        status: "active",
        thoughtCount: 0,
        branchCount: 0,
        createdAt: noon,
        updatedAt: noon,
        lastAccessedAt: noon,
      },
      state: draft.state,
    });
    expect(await store.readSession(draft.id)).toEqual(created);
    expect(await store.readHead(draft.id)).toEqual({ length: 0, hash: "0".repeat(64) });
  });

  test.each([{ title: "half\u0000" }, { tags: ["fine", "half\u0000"] }, { description: "\u0000" }])(
    "a session with a NUL in %j is refused, not shortened",
    async (more) => {
      const store = openLedger(backend);
      expect((await refusalOf(startSession(store, more))).code).toBe("INVALID_PAYLOAD");
      expect((await list(store)).total).toBe(0);
    },
  );

  test("an ID that was never assigned names no session", async () => {
    const store = openLedger(backend);
    const id = randomUUID();
    expect(await store.readSession(id)).toBeUndefined();
    expect(await store.readHead(id)).toBeUndefined();
    expect((await refusalOf(store.saveState(id, { stage: 2 }))).code).toBe("SESSION_NOT_FOUND");
    expect((await refusalOf(think(store, id))).code).toBe("SESSION_NOT_FOUND");
  });

  test("a second session with the same ID is refused, and the first is kept", async () => {
    const store = openLedger(backend);
    const id = await startSession(store, { title: "first" });
    const neighbour = startSession(store, { title: "neighbour" });
    expect((await refusalOf(startSession(store, { id, title: "second" }))).code).toBe("STORAGE_ERROR");
    await neighbour;
    expect((await list(store)).titles).toEqual(["first", "neighbour"]);
  });

  test("lists filter by project, tags, words and status", async () => {
    const store = openLedger(backend);
    await startSession(store, { title: "Login", tags: ["prod", "auth"], createdAt: noon });
    await startSession(store, { title: "Cache", tags: ["prod"], description: "slow logins" });
    await startSession(store, { title: "Elsewhere", project: "other", tags: ["auth"] });
    await startSession(store, { title: "Old", createdAt: "2026-11-01T00:00:00.000Z" });
    const done = await startSession(store, { title: "Done" });
    await think(store, done, { nextThoughtNeeded: false });

    expect(await list(store, { project: "other" })).toEqual({ titles: ["Elsewhere"], total: 1 });
    expect((await list(store)).total).toBe(5);
    expect((await list(store, { tags: ["prod", "auth"] })).titles).toEqual(["Login"]);
    expect((await list(store, { tags: ["prod", "auth"], tagMode: "any" })).titles).toEqual([
      "Login",
      "Cache",
      "Elsewhere",
    ]);
    expect((await list(store, { tags: ["auth", "auth"] })).titles).toEqual(["Login", "Elsewhere"]);
    expect((await list(store, { tags: ["nobody"] })).total).toBe(0);
    expect((await list(store, { search: "logi" })).titles).toEqual(["Login", "Cache"]);
    expect((await list(store, { search: "slow cache" })).titles).toEqual(["Cache"]);
    expect((await list(store, { search: "***" })).total).toBe(0);
    expect((await list(store, { status: "completed" })).titles).toEqual(["Done"]);
    expect((await list(store, { status: "abandoned" })).titles).toEqual(["Old"]);
    expect((await list(store, { status: "active" })).titles).toEqual(["Login", "Cache", "Elsewhere"]);
  });

  test("lists sort by each field, and ties have a fixed order", async () => {
    const store = openLedger(backend);
    await startSession(store, { title: "beta", createdAt: day(2) });
    const alpha = await startSession(store, { title: "Alpha", createdAt: day(1) });
    await startSession(store, { title: "gamma", createdAt: day(2) });
    await think(store, alpha, { timestamp: day(9) });

    expect((await list(store, { sortBy: "title" })).titles).toEqual(["Alpha", "beta", "gamma"]);
    expect((await list(store, { sortBy: "createdAt" })).titles).toEqual(["Alpha", "beta", "gamma"]);
    expect((await list(store, { sortBy: "updatedAt" })).titles).toEqual(["beta", "gamma", "Alpha"]);
    expect((await list(store, { sortBy: "updatedAt", sortOrder: "desc" })).titles).toEqual([
      "Alpha",
      "gamma",
      "beta",
    ]);
  });

  test("pages cover a list without gaps or repetitions, and the total does not depend on the page", async () => {
    const store = openLedger(backend);
    const names = Array.from({ length: 23 }, (_, n) => `session ${n}`);
    for (const title of names) await startSession(store, { title });
    const seen: string[] = [];
    for (let offset = 0; offset < 30; offset += 5) {
      const { titles, total } = await list(store, { limit: 5, offset });
      expect(total).toBe(23);
      seen.push(...titles);
    }
    expect(seen).toEqual(names);
  });

  test("saved state is merged, and a stage never decreases", async () => {
    const store = openLedger(backend);
    const id = await startSession(store);
    const state = async () => (await store.readSession(id))?.state;
    await store.saveState(id, { stage: 2 });
    await store.saveState(id, { domain: "planning" });
    expect(await state()).toEqual({ stage: 2, domain: "planning", navigation: {} });
    await store.saveState(id, { stage: 1, boundRoot: "file:///srv", navigation: { task: "x" } });
    expect(await state()).toEqual({
      stage: 2,
      domain: "planning",
      boundRoot: "file:///srv",
      navigation: { task: "x" },
    });
    await Promise.all([store.saveState(id, { stage: 3 }), store.saveState(id, { stage: 2 })]);
    expect((await state())?.stage).toBe(3);
  });

  test("reading a session changes lastAccessedAt but not updatedAt, and never to an earlier time", async () => {
    const store = openLedger(backend);
    const id = await startSession(store, { createdAt: day(1) });
    const session = async () => (await store.readSession(id))?.session;
    store.touch(id, day(3));
    expect(await session()).toMatchObject({ lastAccessedAt: day(3), updatedAt: day(1) });
    store.touch(id, day(2));
    await store.saveState(id, { stage: 2 });
    expect(await session()).toMatchObject({ lastAccessedAt: day(3), updatedAt: day(1) });
  });

  test("a refused write keeps the time of access, and the next write stores it", async () => {
    const store = openLedger(backend);
    const [id, other] = [await startSession(store, { createdAt: day(1) }), await startSession(store)];
    store.touch(id, day(3));
    const refusal = await refusalOf(think(store, id, { branchId: "b", branchFromThought: 99 }));
    expect(refusal.code).toBe("THOUGHT_NOT_FOUND");
    expect((await store.readSession(id))?.session.lastAccessedAt).toBe(day(3));
    await think(store, other);
    const { sessions } = await store.listSessions({ ...firstPage, sortBy: "createdAt", sortOrder: "asc" });
    expect(sessions[0]).toMatchObject({ id, lastAccessedAt: day(3) });
  });

  test("touching a missing session is not an error", async () => {
    const store = openLedger(backend);
    const id = await startSession(store);
    store.touch(randomUUID(), noon);
    await store.saveState(id, { stage: 2 });
    expect((await store.readSession(id))?.state.stage).toBe(2);
  });
});
