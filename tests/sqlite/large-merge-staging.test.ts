import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openRaw } from "../support/disk/raw-database.ts";
import {
  asked,
  doc,
  inTheMiddle,
  named,
  node,
  openLargeBranch,
  workspace,
} from "../support/stores/large-branch.ts";
import { noon, openStore } from "../support/stores/stores.ts";
import { tempDir } from "../support/temp-dir.ts";
import { memoryLines } from "../support/views/memory-lines.ts";

test("two concurrent calls with one key merge once, and leave nothing staged", async () => {
  const directory = join(tempDir(), "data");
  const { memory, apply, at, store, titles } = await openLargeBranch("fs", directory);
  const options = { at, once: { key: "once", fingerprint: "same" } };
  let isFirst = true;
  const onProgress = (done: number) => {
    if (done < inTheMiddle || !isFirst) return;
    isFirst = false;
    void apply("side", node("n1", "later"));
  };
  const both = await Promise.all([
    memory.mergeGraph(workspace, asked, { ...options, onProgress }),
    memory.mergeGraph(workspace, asked, options),
  ]);
  expect(both[1]).toEqual(both[0]);
  const db = openRaw(directory);
  const count = (from: string) => Number(db.prepare(`SELECT count(*) AS n FROM ${from}`).get()?.["n"]);
  expect(count("graph_merges")).toBe(0);
  expect(count("graph_settled_ahead")).toBe(0);
  expect(count("graph_settled")).toBeGreaterThan(500);
  expect(count("graph_versions WHERE seq > (SELECT value FROM counters WHERE name = 'seq')")).toBe(0);
  db.close();
  expect((await store.upkeep.inspectMemory()).problems).toEqual([]);
  const before = await titles("main", ["n1", "n2"]);
  await memory.mergeGraph(workspace, asked, { at });
  expect(await titles("main", ["n1", "n2"])).toEqual({ ...before, n1: "later" });
});

test("the staged rows of a killed process are removed soon after the next process writes", async () => {
  const [directory, left] = [join(tempDir(), "data"), join(tempDir(), "data")];
  const { during, merge, titles } = await openLargeBranch("fs", directory);
  mkdirSync(left);
  const before = await titles("main", named(0, 200));
  during(async () => {
    const db = openRaw(directory);
    db.exec(`VACUUM INTO '${join(left, "thoughtbox.db")}'`);
    db.close();
  });
  await merge();
  const count = (from: string) => {
    const db = openRaw(left);
    const row = db.prepare(`SELECT count(*) AS n FROM ${from}`).get();
    db.close();
    return Number(row?.["n"]);
  };
  const ahead = "graph_versions WHERE seq > (SELECT value FROM counters WHERE name = 'seq')";
  expect(count("graph_merges WHERE published = 0")).toBe(1);
  expect(count(ahead)).toBeGreaterThan(0);

  const later = new Date(Date.parse(noon) + 60_000);
  const { memory, upkeep } = openStore("fs", { directory: left, clock: () => later });
  const append = { do: "append", doc: "notes", entry: { kind: "note", content: "next" } } as const;
  await memory.commit(workspace, [append], { at: later });
  await expect.poll(() => count("graph_merges")).toBe(0);
  expect(count(ahead)).toBe(0);
  expect((await upkeep.inspectMemory()).problems).toEqual([]);
  const query = { branch: "main", doc, ids: named(0, 200), includeDeleted: false, limit: 200 };
  expect((await memory.queryNodes(workspace, query)).nodes).toHaveLength(Object.keys(before).length);
});

test("keys that a merge has settled count from the moment it is published, wherever their rows are", async () => {
  const directory = join(tempDir(), "data");
  const first = await openLargeBranch("fs", directory);
  await first.merge();
  const { lines } = await memoryLines(first.store);
  await first.store.close();
  const settled = lines.filter((line) => "settled" in line);
  expect(settled.length).toBeGreaterThan(500);

  // Simulates the state after a process is killed right after publishing.
  const db = openRaw(directory);
  db.exec(`INSERT INTO graph_settled_ahead SELECT 1, key, wid, bid, doc, seq FROM graph_settled;
    INSERT INTO graph_merges (mid, wid, doc, into_bid, first_seq, last_seq, published, touched_ms)
      SELECT 1, wid, doc, bid, 0, 0, 1, ${Date.parse(noon)} FROM graph_settled LIMIT 1;
    DELETE FROM graph_settled;`);
  const count = (from: string) => Number(db.prepare(`SELECT count(*) AS n FROM ${from}`).get()?.["n"]);
  expect(count("graph_settled_ahead")).toBe(settled.length);

  const at = new Date(noon);
  const { memory, upkeep } = openStore("fs", { directory, clock: () => at });
  const ops = [node("n20", "anew")];
  await memory.commit(workspace, [{ do: "apply_graph", branch: "side", doc, ops }], { at });
  expect(await memory.mergeGraph(workspace, asked, { at })).toMatchObject({ merged: 1, conflicts: [] });
  expect(count("graph_settled_ahead"), "what is settled anew replaces it").toBe(settled.length - 1);
  const after = (await memoryLines({ upkeep })).lines.filter((line) => "settled" in line);
  expect(after).toHaveLength(settled.length);
  expect(count("graph_settled_ahead") + count("graph_merges")).toBe(0);
  db.close();
});
