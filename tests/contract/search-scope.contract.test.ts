import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { plantConversation } from "../../bench/recall/planted.ts";
import type { RecallSession } from "../../bench/recall/recall-set.ts";
import { sessionIdOf } from "../../bench/recall/to-export.ts";
import type { MemoryStep } from "../../src/domain/memory/steps/step.ts";
import type { SearchPage, SearchQuery } from "../../src/ports/ledger-store.ts";
import type { Store } from "../../src/ports/store.ts";
import { bringIn } from "../support/disk/planted-store.ts";
import { findWords, startSession, think } from "../support/ledger.ts";
import {
  lastingStores,
  oneOfEachAdapter,
  openStore,
  referenceStore,
  type StoreName,
  storeNames,
} from "../support/stores/stores.ts";
import { tempDir } from "../support/temp-dir.ts";

const { sessions, questions } = plantConversation({ sessions: 30, thoughts: 8, questions: 30, seed: 5 });

const told = ({ hits, ...page }: SearchPage) => ({
  ...page,
  hits: hits.map(({ session, address, snippet, score, matched, nearby, cover }) => ({
    ...{ session: session?.id, address, snippet, score, matched, nearby, cover },
  })),
});

async function askAll({ ledger }: Store, more: Partial<SearchQuery> = {}) {
  const answers = [];
  for (const { text } of questions)
    answers.push(told(await findWords(ledger, text, { project: "_default", ...more })));
  return answers;
}

async function planted(backend: StoreName, directory?: string): Promise<Store> {
  const store = openStore(backend, directory === undefined ? {} : { directory });
  await bringIn(store, sessions);
  return store;
}

const speaking = (
  key: string,
  thoughts: readonly string[],
  at = "2024-01-01T00:00:00.000Z",
): RecallSession => ({
  key,
  created: at,
  thoughts: thoughts.map((text, n) => ({ key: `${key}:${n}`, text, at })),
});

describe("hits, scores, snippets and order are the same", () => {
  test.each(lastingStores)("in %s, from a second process, and after reindexing", async (backend) => {
    const directory = join(tempDir(), "data");
    const expected = await askAll(await planted(referenceStore));
    expect(expected.filter(({ hits }) => hits.length > 0).length).toBe(questions.length);
    const first = await planted(backend, directory);
    expect(await askAll(first)).toEqual(expected);
    const second = openStore(backend, { directory });
    expect(await askAll(second)).toEqual(expected);
    await first.upkeep.reindex?.(() => {});
    expect(await askAll(second)).toEqual(expected);
  });

  test.each(oneOfEachAdapter)("among other sessions and with other times, in %s", async (backend) => {
    const expected = await askAll(await planted(referenceStore));
    const store = openStore(backend);
    for (const [n, session] of sessions.entries()) {
      const at = new Date(Date.UTC(2020, 0, 1) - n * 3_600_000).toISOString();
      const moved = {
        ...session,
        created: at,
        thoughts: session.thoughts.map((thought) => ({ ...thought, at })),
      };
      const other = await startSession(store.ledger, { project: "elsewhere" });
      await think(store.ledger, other, { thought: `${questions[n % questions.length]?.text} ${n}` });
      await bringIn(store, [moved]);
    }
    expect(await askAll(store)).toEqual(expected);
  });

  test.each(oneOfEachAdapter)(
    "beside sessions of other projects and deleted sessions, in %s",
    async (backend) => {
      const expected = await askAll(await planted(referenceStore));
      const store = openStore(backend);
      const echoes = questions.map(({ text }, n) => speaking(`echo-${n}`, [text, `${text} again`, text]));
      await bringIn(store, echoes.slice(0, 15), "foreign");
      await bringIn(store, sessions);
      await bringIn(store, echoes.slice(15));
      for (const { key } of echoes.slice(15))
        await store.ledger.deleteSession(sessionIdOf(key), "2026-11-15T12:00:00.000Z");
      expect(await askAll(store)).toEqual(expected);
      await store.ledger.restoreSession(sessionIdOf("echo-20"), "2026-11-15T12:00:00.000Z");
      expect(await askAll(store)).not.toEqual(expected);
    },
  );
});

test.each(storeNames)(
  "in %s, a note is found unless its branch is deleted, and again after the branch is restored",
  async (backend) => {
    const { ledger, memory } = openStore(backend);
    const workspace = "acme/repo";
    const at = new Date("2026-11-15T12:00:00.000Z");
    const commit = (steps: MemoryStep[]) => memory.commit(workspace, steps, { at });
    await commit([
      { do: "bootstrap" },
      { do: "create_branch", name: "side" },
      {
        do: "append",
        branch: "side",
        doc: "notes",
        entry: { kind: "note", content: "the gyroscope drifts" },
      },
    ]);
    const found = async () =>
      (await findWords(ledger, "gyroscope", { workspace })).hits.map(({ note }) => note?.branch);
    expect(await found()).toEqual(["side"]);
    await commit([{ do: "delete_branch", name: "side" }]);
    expect(await found()).toEqual([]);
    await commit([{ do: "restore_branch", name: "side", as: "back" }]);
    expect(await found()).toEqual(["back"]);
  },
);

test.each(oneOfEachAdapter)(
  "in %s, a filter finds the only thought that fits, the oldest of fifty thousand with the word",
  async (backend) => {
    const store = openStore(backend);
    const { ledger } = store;
    const wanted = await startSession(ledger, {
      project: "mine",
      tags: ["kept"],
      createdAt: "2020-05-05T00:00:00.000Z",
    });
    const cipher = [{ number: 1, type: "X", references: [] }];
    await think(ledger, wanted, { thought: "the needle", timestamp: "2020-05-05T00:00:00.000Z", cipher });
    const hay = Array.from({ length: 500 }, (_, n) =>
      speaking(
        `hay-${n}`,
        Array.from({ length: 100 }, () => "a needle"),
      ),
    );
    for (let from = 0; from < hay.length; from += 100) await bringIn(store, hay.slice(from, from + 100));
    const filters: Partial<SearchQuery>[] = [
      { project: "mine" },
      { tags: ["kept"] },
      { type: "X" },
      { until: "2020-06-01T00:00:00.000Z" },
      { since: "2020-05-01T00:00:00.000Z", until: "2020-06-01T00:00:00.000Z" },
      { sessionId: wanted },
    ];
    for (const filter of filters) {
      for (const query of ["needle", "which needle was it", undefined]) {
        for (const order of ["relevance", "newest"] as const) {
          const { hits, hasMore } = await findWords(ledger, query, { order, ...filter });
          const found = hits.flatMap(({ session, address }) => (address ? [session?.id] : []));
          expect([found, hasMore], JSON.stringify({ filter, query, order })).toEqual([[wanted], false]);
        }
      }
    }
  },
  120_000,
);

test.each(storeNames)(
  "in %s, a search finds a small project and its workspace's notes beside a large project",
  async (backend) => {
    const store = openStore(backend);
    const { ledger, memory } = store;
    const workspace = "acme/repo";
    const mine = await startSession(ledger, { project: "mine" });
    await think(ledger, mine, { thought: "the needle of the thought" });
    const entry = { kind: "note", content: "the needle of the note" } as const;
    const steps: MemoryStep[] = [{ do: "bootstrap" }, { do: "append", branch: "main", doc: "notes", entry }];
    await memory.commit(workspace, steps, { at: new Date("2026-11-15T12:00:00.000Z") });
    const hay = Array.from({ length: 60 }, (_, n) => speaking(`hay-${n}`, ["a needle", "another needle"]));
    await bringIn(store, hay, "theirs");
    const empty = { project: "no session yet", workspace };
    for (const query of ["needle", "which needle was it", undefined]) {
      for (const order of ["relevance", "newest"] as const) {
        const both = await findWords(ledger, query, { order, project: "mine", workspace });
        const said = both.hits.map(({ snippet }) => snippet.replaceAll(/[«»]/g, ""));
        expect(said.sort(), `${query} ${order}`).toEqual([
          "the needle of the note",
          "the needle of the thought",
        ]);
        const notes = await findWords(ledger, query, { order, ...empty });
        expect(
          notes.hits.map(({ note }) => note?.branch),
          `${query} ${order}`,
        ).toEqual(["main"]);
      }
    }
  },
);

describe.each(storeNames)("words without spaces between them, in %s", (backend) => {
  test.each(["接続", "池", "接続池", "枯渇", "서울", "接続池が枯渇", '"接続池"', "pool接続"])(
    "%s is found in a thought, a title and a tag",
    async (query) => {
      const store = openStore(backend);
      const id = await startSession(store.ledger, { title: "接続池が枯渇した서울에서", tags: ["接続池"] });
      await think(store.ledger, id, { thought: "夜の間にpool接続池が枯渇した。서울에서 봤다" });
      await think(store.ledger, id, { thought: "nothing of the kind" });
      for (const order of ["relevance", "newest"] as const) {
        const { hits } = await findWords(store.ledger, query, { order });
        expect(
          hits.map(({ address }) => address?.thoughtNumber),
          order,
        ).toContain(1);
        expect(hits.find(({ address }) => address)?.snippet).toContain("«");
        expect(hits.map(({ address }) => address?.thoughtNumber)).not.toContain(2);
      }
      const listed = await store.ledger.listSessions({
        ...{ search: "枯渇", tagMode: "all", limit: 10, offset: 0, sortBy: "title", sortOrder: "asc" },
      });
      expect(listed.total).toBe(1);
    },
  );

  test("are found by a phrase only if it occurs literally", async () => {
    const store = openStore(backend);
    const id = await startSession(store.ledger);
    await think(store.ledger, id, { thought: "接続の池" });
    expect((await findWords(store.ledger, '"接続池"')).hits).toEqual([]);
    expect((await findWords(store.ledger, '"続の池"')).hits).toHaveLength(1);
  });
});

describe("a snippet", () => {
  test.each(oneOfEachAdapter)(
    "hides secrets, even at its edges and far inside a long thought, in %s",
    async (backend) => {
      const { ledger } = openStore(backend);
      const secret = ["ghp", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("_");
      const record = async (thought: string) => think(ledger, await startSession(ledger), { thought });
      await record(`the needle ${secret} lies here`);
      await record(`${"hay ".repeat(50_000)} needle ${secret} lies here`);
      for (let pad = 32_000; pad < 32_760; pad += 95)
        await record(`${"x".repeat(pad)} needle ${secret} ${"y".repeat(2_000)}`);
      const { hits } = await findWords(ledger, "needle lies", { limit: 20 });
      expect(hits.length).toBe(10);
      for (const { snippet } of hits) {
        expect(snippet).toContain("«needle»");
        expect(snippet).not.toMatch(/a1B2|7R8/);
      }
      const open = await findWords(ledger, "needle", { limit: 20, hideSecrets: (text) => text });
      expect(open.hits.some(({ snippet }) => snippet.includes(secret))).toBe(true);
    },
  );
});

describe.each(oneOfEachAdapter)("in %s", (backend) => {
  test.each([
    ["ten thousand words", "needle ".repeat(10_000)],
    ["ten thousand different words", Array.from({ length: 10_000 }, (_, n) => `w${n}`).join(" ")],
    ["only stop words", "the of and to be or not"],
    ["NUL", "needle\0hay\0"],
    ["right to left", "מחט \u202eneedle"],
    ["emoji", "👩🏽‍🚀 needle 🤣pool"],
    ["Thai", "เข็มในกองฟาง"],
    ["Devanagari", "हिन्दी में सुई"],
    ["mixed scripts", "needle針иголка바늘"],
    ["half a character", "needle \ud83d"],
    ["an invalid year", "needle in 0000"],
    ["an invalid date", "needle on 31 February 2026"],
    ["a long phrase", `"${"needle ".repeat(2_000)}"`],
  ])("%s can be searched without an error", async (_what, query) => {
    const { ledger } = openStore(backend);
    const id = await startSession(ledger);
    const text = "the needle of 針 иголка 바늘 מחט เข็มในกองฟาง हिन्दी में सुई w1 and so to be or not";
    await think(ledger, id, { thought: text });
    for (const order of ["relevance", "newest"] as const)
      expect(Array.isArray((await findWords(ledger, query, { order })).hits)).toBe(true);
  });
});
