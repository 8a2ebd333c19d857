import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { systemClock } from "../../src/kernel/clock.ts";
import { matchWords } from "../../src/storage/sqlite/search/words.ts";
import { createSqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { openRaw } from "../support/disk/raw-database.ts";
import { seededRandom } from "../support/seeded-random.ts";

const workspace = "words";
const place = { branch: "main", doc: "graph" };
const path = mkdtempSync(join(tmpdir(), "thoughtbox-test-"));
afterAll(() => rmSync(path, { recursive: true, force: true }));

/**
 * Many of these words have other forms, longer words with the same beginning, or variants with other letters.
 */
const vocabulary = [
  ...[
    "agree",
    "agreed",
    "agreement",
    "agrees",
    "agriculture",
    "pool",
    "pools",
    "pooled",
    "pooling",
    "poodle",
  ],
  ...[
    "relate",
    "related",
    "relational",
    "relation",
    "hope",
    "hoping",
    "hopping",
    "pony",
    "ponies",
    "sky",
    "skies",
  ],
  ...["café", "cafe", "naïve", "naive", "Straße", "STRASSE", "日本語", "日本", "本語", "привет", "приветы"],
  ...["x1", "x12", "x123", "d1", "d2", "run", "runs", "running", "runner", "don't", "foo_bar", "a|b"],
  ...Array.from({ length: 40 }, (_, n) => `many${n}`),
];

test("a search by prefix finds the same nodes as the full-text index, newest first", async () => {
  const random = seededRandom(11);
  const pick = () => vocabulary[Math.floor(random() * vocabulary.length)] ?? "";
  const some = (count: number) => Array.from({ length: count }, pick).join(" ");
  const store = createSqliteStore({ kind: "directory", path }, systemClock);
  const { memory } = store;
  const ids = Array.from({ length: 120 }, (_, n) => `n${n}`);
  const ops = [...ids, ...ids.slice(30, 60)].map((id) => ({
    ...{ op: "node_upsert" as const, id, type: "fact" },
    ...{ title: some(2), text: some(6) },
  }));
  await memory.commit(workspace, [{ do: "apply_graph", ...place, ops }], { at: new Date(0) });
  const find = async (text: string, more: object = {}) => {
    const asked = { ...place, includeDeleted: false, limit: 200, text, ...more };
    const { nodes } = await memory.queryNodes(workspace, asked);
    return nodes.map(({ last_seq }) => last_seq);
  };
  await find("x");
  const raw = openRaw(path);
  const indexed = raw.prepare(
    `SELECT w.rowid AS seq FROM graph_words w JOIN graph_versions v ON v.seq = w.rowid AND v.visible = 1
     WHERE graph_words MATCH ? ORDER BY w.rowid DESC`,
  );
  const cut = (word: string) => word.slice(0, 1 + Math.floor(random() * word.length));
  const queries = [
    ...vocabulary,
    ...vocabulary.map(cut),
    ...Array.from({ length: 60 }, () => `${cut(pick())} ${cut(pick())}`),
    ...Array.from({ length: 40 }, () => `"${pick()} ${cut(pick())}"`),
    ...["many", "m", "zzz", "agr", "agre", "AGREE", "日", "本", "?", "d1 pool"],
  ];
  let found = 0;
  for (const query of queries) {
    const words = matchWords(query, "prefix");
    const expected = words
      ? indexed.all(`place : "d1" AND {title text} : (${words})`).map((row) => Number(row["seq"]))
      : [];
    expect(await find(query), query).toEqual(expected);
    expect(await find(query, { ids }), `${query} among ids`).toEqual(expected);
    found += expected.length;
  }
  expect(found).toBeGreaterThan(1_000);
  raw.close();
  await store.close();
});
