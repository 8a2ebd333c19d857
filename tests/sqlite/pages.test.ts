import { join } from "node:path";
import { expect, test } from "vitest";
import type { MemoryStep } from "../../src/domain/memory/steps/step.ts";
import type { Store } from "../../src/ports/store.ts";
import { dumpMemory } from "../../src/storage/dump/dump-memory.ts";
import { restoreMemory } from "../../src/storage/dump/restore-memory.ts";
import { openRaw } from "../support/disk/raw-database.ts";
import { findWords, startSession, think } from "../support/ledger.ts";
import { noon, openStore } from "../support/stores/stores.ts";
import { tempDir } from "../support/temp-dir.ts";

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

test("a thought writes four pages to the log: itself, its two indexes and its session", async () => {
  const directory = dataDir();
  const { ledger } = openStore("fs", { directory });
  const id = await startSession(ledger);
  await think(ledger, id);
  const raw = openRaw(directory);
  // After a full checkpoint, the next commit starts the log from the beginning.
  const pagesInLog = () => Number(raw.prepare("PRAGMA wal_checkpoint").get()?.["log"]);
  const pages: number[] = [];
  for (let n = 0; n < 21; n += 1) {
    pagesInLog();
    await think(ledger, id, { cipher: [{ number: 1, type: "H", references: [] }] });
    pages.push(pagesInLog());
  }
  expect(pages.toSorted((one, other) => one - other)[10]).toBe(4);
});

test("an older program that ignores thoughts when it assigns numbers is refused", async () => {
  const directory = dataDir();
  const { ledger } = openStore("fs", { directory });
  const id = await startSession(ledger);
  await think(ledger, id);
  const count = () => openRaw(directory).exec("UPDATE counters SET value = value + 1 WHERE name = 'seq'");
  expect(count).toThrow("needs a newer version");
});

test("a note writes two pages to the log: itself and its place in its document", async () => {
  const directory = dataDir();
  const store = openStore("fs", { directory });
  await commit(store, note("first"));
  const raw = openRaw(directory);
  // After the log is fully written back, it starts again with the next commit.
  const pagesInLog = () => Number(raw.prepare("PRAGMA wal_checkpoint").get()?.["log"]);
  const pages: number[] = [];
  for (let n = 0; n < 21; n += 1) {
    pagesInLog();
    await commit(store, note(`the content of note ${n}`));
    pages.push(pagesInLog());
  }
  expect(pages.toSorted((one, other) => one - other)[10]).toBe(2);
});

test("an older program that ignores entries when it assigns numbers is refused", async () => {
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

/** Returns the number of notes in each workspace, according to the store's counter and by counting. */
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

test("notes are counted once, even if their branch is deleted or restored before they are indexed", async () => {
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
  await store.upkeep.reindex?.(() => {});
  expect(totals(directory).counted).toEqual([{ notes: 3 }]);
  expect((await search()).hits).toHaveLength(3);
});

test("the numbers of entries that a restore discarded are not reused", async () => {
  const source = openStore("memory");
  await commit(source, note("one"), note("two"));
  const lines = [];
  let lastSeq = 0;
  for await (const page of dumpMemory(source.upkeep, undefined)) {
    lines.push(...page.lines);
    lastSeq = page.lastSeq;
  }
  const directory = dataDir();
  const target = openStore("fs", { directory });
  const restore = restoreMemory(target.upkeep, lastSeq);
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
