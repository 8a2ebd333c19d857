import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { MemoryStep } from "../../../src/domain/memory/steps/step.ts";
import type { Store } from "../../../src/ports/store.ts";
import { openRaw } from "../../support/disk/raw-database.ts";
import { findWords, startSession, think } from "../../support/ledger.ts";
import { noon, openStore, storeNames } from "../../support/stores/stores.ts";
import { tempDir } from "../../support/temp-dir.ts";

const workspace = "acme/repo";
const at = new Date(noon);
const dataDir = () => join(tempDir(), "data");

const note = (content: string, branch = "main"): MemoryStep => ({
  ...{ do: "append", branch, doc: "notes", entry: { kind: "note", content } },
});
const make = (name: string): MemoryStep => ({ do: "create_branch", name, from: "main" });
const bring = (from: string, into: string): MemoryStep => ({
  ...{ do: "merge_notes", from, into, doc: "notes", after: 0, limit: 10 },
});

const commit = ({ memory }: Store, ...steps: MemoryStep[]): Promise<any[]> =>
  memory.commit(workspace, steps, { at });

test("a note puts two pages into the log: itself and its place in its document", async () => {
  const directory = dataDir();
  const store = openStore("fs", { directory });
  await commit(store, note("first"));
  const raw = openRaw(directory);
  // A log that was written back in full begins anew with the next commit.
  const pagesInLog = () => Number(raw.prepare("PRAGMA wal_checkpoint").get()?.["log"]);
  const pages: number[] = [];
  for (let n = 0; n < 21; n += 1) {
    pagesInLog();
    await commit(store, note(`the content of note ${n}`));
    pages.push(pagesInLog());
  }
  expect(pages.toSorted((one, other) => one - other)[10]).toBe(2);
});

test("a server that counts as earlier versions did is refused before it gives out a number twice", async () => {
  const directory = dataDir();
  const store = openStore("fs", { directory });
  const id = await startSession(store.ledger);
  await think(store.ledger, id);
  const [{ seq }] = await commit(store, note("one"));
  const raw = openRaw(directory);
  const refused = "needs a newer version";
  expect(() => raw.exec(`UPDATE counters SET value = ${seq} WHERE name = 'seq'`)).toThrow(refused);
  const columns =
    "sid, position, branch_id, number, thought, total, next_needed, timestamp, needs_more, salt";
  expect(() =>
    raw.exec(`INSERT INTO thoughts (seq, ${columns}, prev_hash, hash)
      SELECT ${seq}, ${columns.replace("position", "9").replace("number", "9")}, prev_hash, hash FROM thoughts`),
  ).toThrow(refused);
  expect((await think(store.ledger, id)).entry.seq).toBe(seq + 1);
});

describe.each(storeNames)("what follows a note behind its acknowledgement, on %s", (backend) => {
  const newest = async ({ memory }: Store, name = workspace) =>
    (await memory.readActivity(name)).lastEntry?.seq;
  const found = async ({ ledger }: Store, words: string | undefined) =>
    (await findWords(ledger, words, { workspace, order: "newest" })).hits.length;

  test("notes, thoughts and branches share one row of numbers", async () => {
    const store = openStore(backend);
    const id = await startSession(store.ledger);
    const numbers: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      const [first, , second] = await commit(store, note("one"), make(`b${n}`), note("two", `b${n}`));
      numbers.push(first.seq, second.seq, (await think(store.ledger, id)).entry.seq);
    }
    expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
    const bases = (await store.memory.listBranches(workspace, { after: "", limit: 10 })).flatMap(
      ({ base_seq }) => base_seq ?? [],
    );
    expect(bases).toEqual(numbers.filter((_, n) => n % 3 === 0));
  });

  test("the newest entry of a workspace is known however much others have written since", async () => {
    const store = openStore(backend);
    expect(await newest(store)).toBeUndefined();
    const [kept] = await commit(store, note("kept"));
    const [, gone] = await commit(store, make("side"), note("gone", "side"));
    expect(await newest(store)).toBe(gone.seq);
    for (let n = 0; n < 3; n += 1)
      await store.memory.commit(
        "other",
        Array.from({ length: 250 }, (_, at) => note(`${n} ${at}`)),
        { at },
      );
    expect(await newest(store)).toBe(gone.seq);
    await commit(store, { do: "delete_branch", name: "side" });
    expect(await newest(store)).toBe(kept.seq);
    await commit(store, { do: "restore_branch", name: "side" });
    expect(await newest(store)).toBe(gone.seq);
    expect(await newest(store, "other")).toBe(gone.seq + 751);
  });

  test("what was announced of a note names the branch as it was then", async () => {
    const store = openStore(backend);
    const [, written] = await commit(store, make("old"), note("one", "old"));
    await commit(store, { do: "rename_branch", old: "old", new: "new" }, note("two", "new"));
    const told = (await store.feed.readFeed(0, 100)).flatMap((entry) =>
      entry.kind === "memory" && entry.change.type === "note_committed" ? [entry] : [],
    );
    expect(told).toMatchObject([
      {
        seq: written.seq,
        workspace,
        at: noon,
        change: { data: { branch: "old", doc: "notes", kind: "note" } },
      },
      { change: { data: { branch: "new" } } },
    ]);
  });

  test("pages of the feed hold each change once, whatever they end with", async () => {
    const store = openStore(backend);
    const id = await startSession(store.ledger);
    for (let n = 0; n < 12; n += 1) {
      if (n % 3 === 0) await think(store.ledger, id);
      await commit(store, note(`${n}`), ...(n % 4 === 0 ? [make(`b${n}`)] : []));
    }
    const all = await store.feed.readFeed(0, 1_000);
    expect(all.filter(({ kind }) => kind === "memory")).toHaveLength(12 + 3 + 1);
    for (const size of [1, 2, 3, 5]) {
      const paged = [];
      for (let after = 0; ; after = paged.at(-1)?.seq ?? 0) {
        const page = await store.feed.readFeed(after, size);
        if (page.length === 0) break;
        paged.push(...page);
      }
      expect(paged).toEqual(all);
    }
  });

  test("a note is found as soon as it is written, and no copy of it beside it", async () => {
    const store = openStore(backend);
    await commit(store, make("side"), note("needle one", "side"), bring("side", "main"));
    expect(await found(store, "needle")).toBe(1);
    expect(await found(store, undefined)).toBe(1);
    await commit(store, note("needle two"));
    expect(await found(store, undefined)).toBe(2);
    expect(await found(store, "needle")).toBe(2);
    expect((await commit(store, bring("side", "main")))[0]).toMatchObject({ merged: 0, skipped: 1 });
    expect((await commit(store, bring("main", "side")))[0]).toMatchObject({ merged: 1, skipped: 1 });
  });

  test("long traces without a note do not keep a search from what comes after them", async () => {
    const store = openStore(backend);
    const trace: MemoryStep = {
      ...{ do: "append", branch: "main", doc: "trace", entry: { kind: "event", content: "looked" } },
    };
    await commit(store, note("needle"), ...Array.from({ length: 1_100 }, () => trace));
    expect(await found(store, "needle")).toBe(1);
    await commit(store, ...Array.from({ length: 1_100 }, () => trace));
    expect(await found(store, "needle")).toBe(1);
    await commit(store, note("another needle"));
    expect(await found(store, "needle")).toBe(2);
    expect((await store.upkeep.inspect()).unindexed).toBe(0);
  });
});

/** How many notes each workspace has by the store's own count, and by counting. */
function totals(directory: string) {
  const raw = openRaw(directory);
  const counted = raw.prepare("SELECT notes FROM note_totals ORDER BY wid").all();
  const real = raw
    .prepare(
      `SELECT count(*) AS notes FROM memory_entries e JOIN memory_branches b USING (bid)
       WHERE e.kind = 'note' AND e.origin = e.seq AND b.deleted_at_ms IS NULL GROUP BY b.wid ORDER BY b.wid`,
    )
    .all();
  raw.close();
  return { counted, real };
}

test("notes are counted once, whether a branch goes or comes back before or after they are indexed", async () => {
  const directory = dataDir();
  const store = openStore("fs", { directory });
  const search = () => findWords(store.ledger, "needle", { workspace });
  await commit(store, make("early"), make("late"), note("needle"), note("needle", "early"));
  await commit(store, { do: "delete_branch", name: "early" });
  await search();
  expect(totals(directory).counted).toEqual([{ notes: 1 }]);
  await commit(store, { do: "restore_branch", name: "early" }, note("needle", "late"));
  await commit(store, { do: "delete_branch", name: "late" });
  await search();
  expect(totals(directory).counted).toEqual(totals(directory).real);
  await commit(store, { do: "restore_branch", name: "late" }, bring("late", "main"));
  await search();
  expect(totals(directory).counted).toEqual([{ notes: 3 }]);
  await store.upkeep.reindex(() => {});
  expect(totals(directory).counted).toEqual([{ notes: 3 }]);
  expect((await search()).hits).toHaveLength(3);
});

test("numbers of entries that a restore discarded are not given out again", async () => {
  const source = openStore("memory");
  await commit(source, note("one"), note("two"));
  const lines = [];
  let lastSeq = 0;
  for await (const page of source.upkeep.dumpMemory(undefined)) {
    lines.push(...page.lines);
    lastSeq = page.lastSeq;
  }
  const directory = dataDir();
  const target = openStore("fs", { directory });
  const restore = target.upkeep.restoreMemory(lastSeq);
  await restore.take(lines);
  const highest = await target.feed.lastSeq();
  expect(highest).toBeGreaterThanOrEqual(lastSeq);
  await findWords(target.ledger, "one");
  await restore.abandon();
  const raw = openRaw(directory);
  for (const table of ["memory_entries", "searchable_notes", "note_totals"])
    expect(raw.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"], table).toBe(0);
  const [first] = await commit(target, note("mine"));
  expect(first.seq).toBeGreaterThan(highest);
});
