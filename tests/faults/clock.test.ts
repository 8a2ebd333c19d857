import { describe, expect, test } from "vitest";
import { allEntries, findWords, startSession, think } from "../support/ledger.ts";
import { openStore, storeNames } from "../support/stores/stores.ts";
import { backends, createTestApp, startThinking, type TestClient } from "../support/test-app.ts";
import { openTree } from "../support/views/tree.ts";

/** Creates a clock whose readings go back, usually by a minute and sometimes by a year. */
function createBackwardClock() {
  let time = Date.parse("2026-11-15T12:00:00.000Z");
  let looks = 0;
  return () => {
    looks += 1;
    time -= looks % 7 === 0 ? 366 * 86_400_000 : 60_000;
    return new Date(time);
  };
}

const numbers = Array.from({ length: 25 }, (_, n) => n + 1);

async function pagesOf<Item>(read: (offset: number, limit: number) => Promise<Item[]>): Promise<Item[]> {
  const all: Item[] = [];
  for (;;) {
    const page = await read(all.length, 4);
    all.push(...page);
    if (page.length < 4) return all;
  }
}

describe.each(backends)("with a clock that runs backwards, on %s", (backend) => {
  const open = (): TestClient => createTestApp({ backend, clock: createBackwardClock() }).modern();

  test("thoughts keep their order, and the chain verifies", async () => {
    const client = open();
    const sessionId = await startThinking(client);
    for (const n of numbers) {
      const { thoughtNumber } = await client.call("thought", { sessionId, thought: `needle ${n}` });
      expect(thoughtNumber).toBe(n);
    }
    const { export: exported } = await client.call("session.export", { sessionId });
    expect(exported.nodes.map(({ data }: any) => data.thought)).toEqual(numbers.map((n) => `needle ${n}`));
    const times = exported.nodes.map(({ data }: any) => data.timestamp);
    expect(times, "the clock did not run backwards").toEqual([...times].sort().reverse());
    const { thoughts } = await client.call("read_thoughts", { sessionId, last: 5 });
    expect(thoughts.map(({ thoughtNumber }: any) => thoughtNumber)).toEqual([21, 22, 23, 24, 25]);
    expect(await client.call("session.verify", { sessionId })).toMatchObject({ valid: true, errors: [] });
    const { updatedAt, createdAt } = (await client.call("list_sessions")).sessions[0];
    expect(updatedAt >= createdAt).toBe(true);
  });

  test.each(["createdAt", "updatedAt", "title"])(
    "pages of sessions by %s contain each session once",
    async (sortBy) => {
      const client = open();
      for (const n of numbers) await startThinking(client, { title: `session ${n % 5}` });
      const list = async (offset: number, limit: number) =>
        (await client.call("list_sessions", { sortBy, offset, limit })).sessions.map(({ id }: any) => id);
      const paged = await pagesOf(list);
      expect(paged).toEqual(await list(0, 100));
      expect(new Set(paged).size).toBe(numbers.length);
    },
  );

  test.each(["newest", "relevance"])("pages of a search by %s contain each thought once", async (sortBy) => {
    const client = open();
    const sessionId = await startThinking(client);
    for (const n of numbers) await client.call("thought", { sessionId, thought: `needle ${n}` });
    const find = async (offset: number, limit: number) =>
      (
        await client.call("session.search", { sessionId, query: "needle", order: sortBy, offset, limit })
      ).hits.map(({ thought }: any) => thought.thoughtNumber);
    const paged = await pagesOf<number>(find);
    expect([...paged].sort((a, b) => a - b)).toEqual(numbers);
    if (sortBy === "newest") expect(paged).toEqual([...numbers].reverse());
  });
});

test.each(storeNames)("the feed and the entries on %s are ordered by seq, not by time", async (backend) => {
  const clock = createBackwardClock();
  const store = openStore(backend, { clock });
  const [one, other] = [await startSession(store.ledger), await startSession(store.ledger)];
  const written: number[] = [];
  for (const n of numbers) {
    const timestamp = clock().toISOString();
    const { entry } = await think(store.ledger, n % 2 ? one : other, { thought: `needle ${n}`, timestamp });
    written.push(entry.seq);
  }
  expect(written).toEqual([...written].sort((a, b) => a - b));
  const feed = (await store.feed.readFeed(0, 1_000)).filter(({ kind }) => kind === "thought");
  expect(feed.map(({ seq }) => seq)).toEqual(written);
  const arrived = [...(await allEntries(store.ledger, one)), ...(await allEntries(store.ledger, other))];
  expect(arrived.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual(written);
  const { hits } = await findWords(store.ledger, "needle", { order: "newest", limit: 100 });
  expect(hits).toHaveLength(numbers.length);
});

test("the files of the tree are still written", async () => {
  const clock = createBackwardClock();
  const { ledger, tree } = openTree({ clock });
  const id = await startSession(ledger, { createdAt: clock().toISOString() });
  for (const n of numbers) await think(ledger, id, { thought: `${n}`, timestamp: clock().toISOString() });
  await tree.flush();
  expect(await tree.verify(id)).toMatchObject({ valid: true, pendingFiles: 0, errors: [] });
});
