import { describe, expect, test } from "vitest";
import { openLedger, startSession, think } from "../../support/ledger.ts";
import { storeNames } from "../../support/stores/stores.ts";

describe.each(storeNames)("counting matches in %s", (backend) => {
  const counted = async (store: ReturnType<typeof openLedger>, query: string, project?: string) => {
    const { sessions, relaxed } = await store.countMatches(query, project);
    return { relaxed, ...Object.fromEntries(sessions.map(({ sessionId, texts }) => [sessionId, texts])) };
  };

  test("counts every thought that contains all words, by session, and returns its position", async () => {
    const store = openLedger(backend);
    const one = await startSession(store);
    const two = await startSession(store);
    for (let n = 0; n < 1_200; n += 1)
      await think(store, n % 3 === 0 ? one : two, { thought: n % 2 === 0 ? `leases ${n}` : "a pool" });
    expect(await counted(store, "lease")).toEqual({ relaxed: false, [one]: 200, [two]: 400 });
    const { positions, relaxed } = await store.findMatches("lease", two);
    expect({ relaxed, positions: positions.length, first: positions.slice(0, 3) }).toEqual({
      relaxed: false,
      positions: 400,
      first: [2, 3, 6],
    });
  });

  test("counts thoughts with only some of the words only if no thought contains all of them", async () => {
    const store = openLedger(backend);
    const one = await startSession(store);
    await think(store, one, { thought: "the pool is dry" });
    await think(store, one, { thought: "the proxy is dry" });
    expect(await counted(store, "dry pool")).toEqual({ relaxed: false, [one]: 1 });
    expect(await counted(store, "dry vacuum")).toEqual({ relaxed: true, [one]: 2 });
    expect(await store.findMatches("dry pool", one)).toEqual({ relaxed: false, positions: [1] });
    expect(await store.findMatches("dry vacuum", one)).toEqual({ relaxed: true, positions: [1, 2] });
    expect(await counted(store, "!!!")).toEqual({ relaxed: false });
  });

  test("lists a session whose title matches without thoughts", async () => {
    const store = openLedger(backend);
    const titled = await startSession(store, { title: "Why the vacuum stops" });
    await think(store, titled, { thought: "nothing yet" });
    expect(await counted(store, "vacuum")).toEqual({ relaxed: false, [titled]: 0 });
  });

  test("leaves out other projects and the trash", async () => {
    const store = openLedger(backend);
    const here = await startSession(store, { project: "shop" });
    const there = await startSession(store, { project: "infra" });
    const gone = await startSession(store, { project: "shop" });
    for (const id of [here, there, gone]) await think(store, id, { thought: "the pool" });
    await store.deleteSession(gone, new Date().toISOString());
    expect(await counted(store, "pool")).toEqual({ relaxed: false, [here]: 1, [there]: 1 });
    expect(await counted(store, "pool", "shop")).toEqual({ relaxed: false, [here]: 1 });
    expect(await store.findMatches("pool", gone)).toEqual({ relaxed: false, positions: [] });
  });

  test("counts a very long thought once if the words are in different parts of it", async () => {
    const store = openLedger(backend);
    const one = await startSession(store);
    await think(store, one, {
      thought: `vacuum ${Array.from({ length: 30_000 }, (_, n) => `w${n}`).join(" ")} proxy`,
    });
    expect(await counted(store, "vacuum proxy")).toEqual({ relaxed: false, [one]: 1 });
    expect(await counted(store, "vacuum")).toEqual({ relaxed: false, [one]: 1 });
    expect(await store.findMatches("vacuum proxy", one)).toEqual({ relaxed: false, positions: [1] });
  });
});
