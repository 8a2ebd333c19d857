import { describe, expect, test } from "vitest";
import type { LedgerStore, SearchPage, SearchQuery } from "../../../src/ports/ledger-store.ts";
import fc from "../../support/fast-check.ts";
import { findWords, openLedger, startSession, think } from "../../support/ledger.ts";
import { storeNames } from "../../support/stores/stores.ts";

const numbers = ({ hits }: SearchPage) => hits.map(({ address }) => address?.thoughtNumber);
const minute = (n: number) => new Date(Date.UTC(2026, 10, 15, 12, n)).toISOString();

async function record(store: LedgerStore, ...thoughts: string[]): Promise<string> {
  const id = await startSession(store);
  for (const [n, thought] of thoughts.entries()) await think(store, id, { thought, timestamp: minute(n) });
  return id;
}

/** Reads all pages, like a caller that relies on `hasMore`. */
async function everyPage(
  store: LedgerStore,
  query: string,
  more: Partial<SearchQuery>,
): Promise<SearchPage[]> {
  const pages: SearchPage[] = [];
  for (let offset = 0; pages.at(-1)?.hasMore ?? true; offset += 3) {
    pages.push(await findWords(store, query, { ...more, limit: 3, offset }));
    if (pages.length > 50) throw new Error("the pages never end");
  }
  return pages;
}

describe.each(storeNames)("searching %s", (backend) => {
  test("finds a thought as soon as it is recorded, with its place and a snippet", async () => {
    const store = openLedger(backend);
    const id = await record(store, "the pool runs dry", "the proxy drops sockets");
    await think(store, id, {
      thought: "a deeper pool",
      branchId: "b",
      branchFromThought: 1,
      timestamp: minute(9),
    });
    const page = await findWords(store, "pool");
    expect(page).toMatchObject({ hasMore: false, relaxed: false, unindexed: 0 });
    const places = page.hits.map(({ address, session }) => ({ ...address, session: session?.id }));
    expect(places).toHaveLength(2);
    expect(places).toContainEqual({ thoughtNumber: 1, session: id });
    expect(places).toContainEqual({ branchId: "b", thoughtNumber: 2, session: id });
    expect(page.hits.map(({ snippet }) => snippet)).toContain("the «pool» runs dry");
  });

  test("finds all of a thousand thoughts as soon as they are recorded together", async () => {
    const store = openLedger(backend);
    const id = await startSession(store);
    await Promise.all(Array.from({ length: 1_000 }, (_, n) => think(store, id, { thought: `needle ${n}` })));
    const page = await findWords(store, "needle", { limit: 1_000, order: "newest" });
    expect(page.hits).toHaveLength(1_000);
    expect(new Set(numbers(page)).size).toBe(1_000);
  });

  test("finds words in other forms and without accents", async () => {
    const store = openLedger(backend);
    await record(store, "connections were dropping", "Crème brûlée");
    expect(numbers(await findWords(store, "connection drops"))).toEqual([1]);
    expect(numbers(await findWords(store, "creme BRULEE"))).toEqual([2]);
  });

  test("a quoted phrase must occur literally", async () => {
    const store = openLedger(backend);
    await record(store, "time out of mind", "out of time");
    expect(numbers(await findWords(store, '"out of time"'))).toEqual([2]);
    expect(numbers(await findWords(store, "out of time")).sort()).toEqual([1, 2]);
  });

  test("ranks texts with all the words first, and reports if there are none", async () => {
    const store = openLedger(backend);
    await record(store, "red apple", "green apple", "red brick");
    const strict = await findWords(store, "red apple");
    expect([numbers(strict)[0], strict.relaxed]).toEqual([1, false]);
    const relaxed = await findWords(store, "green brick");
    expect([numbers(relaxed).slice(0, 2).sort(), relaxed.relaxed]).toEqual([[2, 3], true]);
    expect(await findWords(store, "zeppelin")).toMatchObject({
      hits: [],
      relaxed: false,
      missing: ["zeppelin"],
    });
  });

  test("the newest order requires all the words, or any of them if no text has them all", async () => {
    const store = openLedger(backend);
    await record(store, "red apple", "green apple", "red brick");
    const newest = { order: "newest" } as const;
    expect(numbers(await findWords(store, "red apple", newest))).toEqual([1]);
    expect(await findWords(store, "green brick", newest)).toMatchObject({ relaxed: true });
    expect(numbers(await findWords(store, "green brick", newest))).toEqual([3, 2]);
  });

  test("finds titles, descriptions and tags too", async () => {
    const store = openLedger(backend);
    const id = await startSession(store, {
      title: "Quarterly audit",
      description: "of ledgers",
      tags: ["tax"],
    });
    for (const query of ["audits", "ledger", "tax"]) {
      const { hits } = await findWords(store, query);
      expect(hits.map(({ session, address }) => [session?.id, address])).toEqual([[id, undefined]]);
    }
  });

  test("sorts by arrival or by relevance", async () => {
    const store = openLedger(backend);
    const long = "cache and many other words that have nothing to do with it, again and again and again";
    await record(store, "cache cache cache", long, "nothing here");
    expect(numbers(await findWords(store, "cache"))).toEqual([1, 2]);
    expect(numbers(await findWords(store, "cache", { order: "newest" }))).toEqual([2, 1]);
  });

  test("filters apply before the limit", async () => {
    const store = openLedger(backend);
    const wanted = await startSession(store, { project: "mine", tags: ["keep"] });
    const cipher = [{ number: 1, type: "H", references: [] }];
    await think(store, wanted, { thought: "needle early", timestamp: minute(1), cipher });
    await think(store, wanted, { thought: "needle late", timestamp: minute(30) });
    const other = await startSession(store, { project: "theirs" });
    await Promise.all(
      Array.from({ length: 50 }, () => think(store, other, { thought: "needle", timestamp: minute(40) })),
    );
    for (const order of ["newest", "relevance"] as const) {
      const only = (more: Partial<SearchQuery>) => findWords(store, "needle", { limit: 1, order, ...more });
      expect((await only({ project: "mine" })).hasMore).toBe(true);
      expect((await only({ tags: ["keep"] })).hits[0]?.session?.id).toBe(wanted);
      expect(numbers(await only({ type: "H" }))).toEqual([1]);
      expect(numbers(await only({ until: minute(5) }))).toEqual([1]);
      expect(numbers(await only({ since: minute(20), until: minute(35) }))).toEqual([2]);
      expect((await only({ project: "mine", tags: ["other"] })).hits).toEqual([]);
    }
  });

  test.each(["newest", "relevance"] as const)(
    "pages by %s have no gaps, even if the clock was changed",
    async (order) => {
      const store = openLedger(backend);
      const id = await startSession(store, { title: "needle", createdAt: minute(7) });
      for (let n = 0; n < 20; n += 1) {
        await think(store, id, {
          thought: `needle ${"hay ".repeat(n % 4)}`,
          timestamp: minute((n * 7) % 20),
        });
      }
      const pages = await everyPage(store, "needle", { order });
      const seen = pages.flatMap(numbers);
      expect(seen).toHaveLength(21);
      expect(new Set(seen).size).toBe(21);
    },
  );

  test("pages relaxed results to their end", async () => {
    const store = openLedger(backend);
    await record(store, ...Array.from({ length: 10 }, (_, n) => (n % 2 ? "red" : "green")));
    const pages = await everyPage(store, "red green", {});
    expect(pages.flatMap(numbers).sort()).toHaveLength(10);
    expect(pages.every(({ relaxed }) => relaxed)).toBe(true);
  });

  test.each([
    "AND",
    "OR",
    "NEAR(",
    "NEAR(needle hay, 2)",
    "needle*",
    '"',
    '"needle',
    '""',
    '" "',
    "(",
    "needle)",
    "thought:needle",
    "^needle",
    "-needle",
    "needle AND",
    "NOT needle",
    "needle OR OR hay",
    "{thought} : needle",
    "needle + hay",
    "needle\u0000hay",
    '"needle\u0000hay"',
    "%_'; --",
    "needle ".repeat(60),
  ])("treats %j as words, not as syntax", async (query) => {
    const store = openLedger(backend);
    await record(store, "needle and or near not thought needle hay");
    const page = await findWords(store, query);
    const hasWord = /[a-z]/i.test(query);
    expect(numbers(page)).toEqual(hasWord ? [1] : []);
  });

  test("answers any query", async () => {
    const store = openLedger(backend);
    await record(store, "needle AND hay");
    const word = fc.constantFrom(
      "AND",
      "OR",
      "NOT",
      "NEAR",
      "needle",
      '"',
      "(",
      ")",
      "*",
      "^",
      ":",
      "{",
      "-",
      "+",
    );
    const typed = fc.oneof(
      fc.array(word, { maxLength: 12 }).map((words) => words.join(" ")),
      fc.array(word, { maxLength: 12 }).map((words) => words.join("")),
      fc.string({ unit: "grapheme", maxLength: 40 }),
      fc.string({ unit: "binary", maxLength: 40 }),
    );
    await fc.assert(
      fc.asyncProperty(typed, async (query) => {
        expect(Array.isArray((await findWords(store, query)).hits)).toBe(true);
      }),
      { numRuns: 400 },
    );
  });
});
