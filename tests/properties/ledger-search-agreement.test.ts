import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { SearchPage } from "../../src/ports/ledger-store.ts";
import type { Store } from "../../src/ports/store.ts";
import fc from "../support/fast-check.ts";
import { findWords, sessionDraft, think } from "../support/ledger.ts";
import { enoughTime, reportSoak, times } from "../support/run/soak.ts";
import { noon, oneOfEachAdapter, openStore } from "../support/stores/stores.ts";

/** Words with the same stem, words that differ only in accents or case, non-words, and filler words. */
const words = [
  ...["pool", "pools", "Pooling", "connection", "connections", "Connect", "timeout", "time", "out", "retry"],
  ...["café", "cafe", "Straße", "strasse", "naïve", "数据库", "дом", "дома", "😀", "x", "the", "and", "not"],
  ...["v1.2.3", "snake_case", "camelCase", "foo-bar", "foo", "bar", "a1", "42", "it's", "O'Neil", "%", "_"],
];
const text = fc
  .array(fc.constantFrom(...words), { minLength: 1, maxLength: 14 })
  .map((some) => some.join(" "));
const long = text.map((some) => `${`${some} filler. `.repeat(120)}pool`);

const session = fc.record({
  title: text,
  project: fc.constantFrom("_default", "shop"),
  tags: fc.array(fc.constantFrom("blue", "pool", "café"), { maxLength: 2 }),
  thoughts: fc.array(fc.oneof({ weight: 12, arbitrary: text }, { weight: 1, arbitrary: long }), {
    minLength: 1,
    maxLength: 9,
  }),
});
const question = fc.record({
  query: fc.oneof(text, fc.constantFrom('"connection pool"', '"the pool"', "pool -timeout", "poo*", "")),
  order: fc.constantFrom("relevance" as const, "newest" as const),
  limit: fc.integer({ min: 1, max: 12 }),
  offset: fc.integer({ min: 0, max: 6 }),
  project: fc.constantFrom(undefined, "_default", "shop"),
  tags: fc.constantFrom(undefined, ["blue"]),
  perSession: fc.constantFrom(undefined, 1, 3),
  countElsewhere: fc.boolean(),
});
const history = fc.record({
  sessions: fc.array(session, { minLength: 1, maxLength: 6 }),
  questions: fc.array(question, { minLength: 10, maxLength: 20 }),
});
type Sessions = (typeof history extends fc.Arbitrary<infer Value> ? Value : never)["sessions"];

/** Writes the same sessions with the same IDs and times. */
async function fill({ ledger }: Store, sessions: Sessions, ids: readonly string[]): Promise<void> {
  let second = 0;
  const later = () => new Date(Date.parse(noon) + 1_000 * second++).toISOString();
  for (const [n, { title, project, tags, thoughts }] of sessions.entries()) {
    const sessionId = ids[n] ?? "";
    await ledger.createSession(sessionDraft({ id: sessionId, title, project, tags, createdAt: later() }));
    for (const thought of thoughts) await think(ledger, sessionId, { thought, timestamp: later() });
  }
}

const shown = ({ hits, ...page }: SearchPage) => ({
  ...page,
  hits: hits.map(({ session: of, score, ...hit }) => ({ ...hit, of: of?.id, score: score.toFixed(6) })),
});

const runs = times("search histories", 12);

describe.skipIf(oneOfEachAdapter.length < 2)("a search", () => {
  test(
    "finds the same hits in the same order on every engine",
    async () => {
      let asked = 0;
      await fc.assert(
        fc.asyncProperty(history, async ({ sessions, questions }) => {
          const stores = oneOfEachAdapter.map((name) => openStore(name));
          const ids = sessions.map(() => randomUUID());
          for (const store of stores) await fill(store, sessions, ids);
          for (const { query, ...more } of questions) {
            const [expected, ...others] = await Promise.all(
              stores.map(async ({ ledger }) => shown(await findWords(ledger, query || undefined, more))),
            );
            for (const found of others) expect(found, JSON.stringify({ query, ...more })).toEqual(expected);
            asked += 1;
          }
          await Promise.all(stores.map((store) => store.close()));
        }),
        { numRuns: runs },
      );
      expect(asked).toBeGreaterThan(runs);
      reportSoak("searches compared on SQLite and PostgreSQL", `${asked} searches in ${runs} stores agree`);
    },
    enoughTime(runs, 4_000),
  );
});
