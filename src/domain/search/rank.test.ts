import { describe, expect, test } from "vitest";
import { rank } from "./rank.ts";
import { createTestSource, type Shelf } from "./search-source.testing.ts";

const firstPage = { offset: 0, limit: 10 };
const filler = (n: number) => `ordinary words about nothing, number ${n}`;

async function ask(shelves: readonly Shelf[], query: string, notes: readonly string[] = []) {
  const { source, textOf } = createTestSource(shelves, notes);
  const ranking = await rank(source, query, firstPage);
  return { ...ranking, found: ranking.hits.map(({ seq, sid }) => textOf(seq) ?? `session ${sid}`) };
}

describe("ranking", () => {
  test("puts an old text with the rare word before a thousand newer ones with the common word", async () => {
    const shelves = [
      { texts: ["the connection pool ran dry because of the leap second"] },
      ...Array.from({ length: 200 }, (_, n) => ({
        texts: Array.from({ length: 10 }, () => `connection ${filler(n)}`),
      })),
    ];
    const { found, relaxed } = await ask(shelves, "what did the leap second do to the connection");
    expect(found[0]).toMatch(/leap second/);
    expect(relaxed).toBe(false);
  });

  test("puts texts near others with the remaining words before isolated ones", async () => {
    const near = ["the gateway is slow", "nothing to see", "its pool is exhausted"];
    const far = ["the pool is exhausted", ...Array.from({ length: 10 }, (_, n) => filler(n)), "that is all"];
    const { found } = await ask([{ texts: near }, { texts: far }], "gateway pool exhausted");
    expect(found[0]).toBe("its pool is exhausted");
  });

  test("puts adjacent words above the same words apart", async () => {
    const apart = "a pool for the tenants, and a connection for the others";
    const { found } = await ask(
      [{ texts: [apart] }, { texts: ["a connection pool for all the tenants and so on"] }],
      "connection pool",
    );
    expect(found).toHaveLength(2);
    expect(found[0]).toMatch(/connection pool/);
  });

  test("puts the session of a named date first", async () => {
    const texts = ["we met about the pool"];
    const shelves = ["2023-05-05", "2023-05-08", "2023-09-01"].map((day) => ({
      created: `${day}T10:00:00.000Z`,
      texts,
    }));
    const { hits } = await ask(shelves, "what about the pool on 8 May 2023?");
    expect(hits.map(({ sid }) => sid)).toEqual([1, 0, 2]);
  });

  test("puts a session with that title before a text that mentions it, but after a text with more of the words", async () => {
    const shelves = [
      { title: "The connection pool", texts: [filler(1), filler(2)] },
      { title: "Something else", texts: [filler(3), "as an aside, the connection pool", filler(4)] },
      { title: "Another", texts: [filler(5), "the connection pool was exhausted by a leak"] },
    ];
    expect((await ask(shelves, "connection pool")).found[0]).toBe("session 0");
    expect((await ask(shelves, "connection pool exhausted leak")).found[0]).toMatch(/by a leak/);
  });

  test("counts a title more than a description", async () => {
    const shelves = [
      { title: "one", description: "about turbines", texts: [filler(1)] },
      { title: "turbines", texts: [filler(2)] },
    ];
    expect((await ask(shelves, "turbines")).found).toEqual(["session 1", "session 0"]);
  });

  test("counts a session's title for its texts", async () => {
    const same = "the third attempt failed again";
    const shelves = [
      { title: "Unrelated", texts: [same] },
      { title: "Migration of the ledger", texts: [same] },
    ];
    const { hits } = await ask(shelves, "ledger migration third attempt");
    const texts = hits.filter(({ seq }) => seq !== undefined);
    expect(texts.map(({ sid }) => sid)).toEqual([1, 0]);
  });

  test("lists notes together with texts", async () => {
    const { found } = await ask([{ texts: ["the pool", filler(1)] }], "pool exhausted", [
      "the pool is exhausted",
      "a cat",
    ]);
    expect(found).toEqual(["the pool is exhausted", "the pool"]);
  });

  test("lists equal hits newest first", async () => {
    const { hits } = await ask([{ texts: ["pool"] }, { texts: ["pool"] }, { texts: ["pool"] }], "pool");
    expect(hits.map(({ seq }) => seq)).toEqual([3, 2, 1]);
  });
});

describe("a search result", () => {
  const shelves = [{ texts: ["the pool", "ran dry", filler(1), filler(2), filler(3), "the gateway"] }];

  test("reports which words a hit contains and which are nearby", async () => {
    const { hits } = await ask(shelves, "why did the pool dry");
    expect(hits[0]).toMatchObject({ matched: ["dry"], nearby: ["pool"], cover: 1 });
  });

  test("names words that appear nowhere, and is relaxed if no text contains all words", async () => {
    expect(await ask(shelves, "pool zebra")).toMatchObject({ missing: ["zebra"], relaxed: true });
    expect(await ask(shelves, "ran dry")).toMatchObject({ missing: [], relaxed: false });
    expect(await ask(shelves, "zebra")).toMatchObject({
      hits: [],
      missing: ["zebra"],
      relaxed: false,
      weak: false,
    });
  });

  test("is weak if the best hit contains few of the words", async () => {
    expect(await ask(shelves, "which zebra crossed whose favourite pool")).toMatchObject({ weak: true });
    expect(await ask(shelves, "pool dry")).toMatchObject({ weak: false });
  });
});

describe("pages", () => {
  const shelves = Array.from({ length: 5 }, (_, n) => ({
    texts: Array.from({ length: 5 }, () => `pool ${filler(n)}`),
  }));

  test("do not overlap, and end", async () => {
    const { source } = createTestSource(shelves);
    const pages = await Promise.all([0, 10, 20].map((offset) => rank(source, "pool", { offset, limit: 10 })));
    expect(pages.map(({ hasMore }) => hasMore)).toEqual([true, true, false]);
    expect(new Set(pages.flatMap(({ hits }) => hits.map(({ seq }) => seq))).size).toBe(25);
  });

  test("contain at most the requested number of hits per session", async () => {
    const { source } = createTestSource(shelves);
    const { hits, hasMore } = await rank(source, "pool", { offset: 0, limit: 20, perSession: 3 });
    expect([hits.length, hasMore]).toEqual([15, false]);
  });
});

test("a query needs a limited number of lookups, however many texts exist", async () => {
  const words = Array.from({ length: 40 }, (_, n) => `word${n}x`);
  const text = words.join(" ");
  const { source, asked } = createTestSource(
    Array.from({ length: 40 }, () => ({ title: text, texts: Array.from({ length: 30 }, () => text) })),
  );
  await rank(source, text, firstPage);
  expect(asked).toEqual({
    extent: 1,
    newest: expect.any(Number),
    both: 6,
    places: 1,
    sessions: 1,
    within: 1,
    texts: 1,
  });
  expect(asked.newest).toBeGreaterThanOrEqual(16);
  expect(asked.newest).toBeLessThanOrEqual(32);
});

test("a query without words finds nothing", async () => {
  expect(await ask([{ texts: ["pool"] }], "…")).toMatchObject({ hits: [], missing: [], relaxed: false });
});
