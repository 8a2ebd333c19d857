import { describe, expect, test } from "vitest";
import type { MemoryStep } from "../../../src/domain/memory/steps/step.ts";
import type { Store } from "../../../src/ports/store.ts";
import { findWords, startSession, think } from "../../support/ledger.ts";
import { noon, openStore, storeNames } from "../../support/stores/stores.ts";

const workspace = "acme/repo";
const at = new Date(noon);

const note = (content: string, branch = "main"): MemoryStep => ({
  ...{ do: "append", branch, doc: "notes", entry: { kind: "note", content } },
});
const make = (name: string): MemoryStep => ({ do: "create_branch", name, from: "main" });
const bring = (from: string, into: string): MemoryStep => ({
  ...{ do: "merge_notes", from, into, doc: "notes", after: 0, limit: 10 },
});

const commit = ({ memory }: Store, ...steps: MemoryStep[]): Promise<any[]> =>
  memory.commit(workspace, steps, { at });

describe.each(storeNames)("the work that follows the acknowledgement of a note, on %s", (backend) => {
  const newest = async ({ memory }: Store, name = workspace) =>
    (await memory.readActivity(name)).lastEntry?.seq;
  const found = async ({ ledger }: Store, words: string | undefined) =>
    (await findWords(ledger, words, { workspace, order: "newest" })).hits.length;

  test("notes, thoughts and branches share one sequence of numbers", async () => {
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

  test("the notes of all branches except deleted ones are listed once, newest first", async () => {
    const store = openStore(backend);
    const listed = async (limit = 10) => {
      const { notes, total } = await store.memory.listNotes(workspace, "notes", limit);
      return [total, ...notes.map(({ content, branch }) => `${content} on ${branch}`)];
    };
    expect(await listed()).toEqual([0]);
    await commit(store, note("one"), make("side"), note("two", "side"), bring("side", "main"));
    await commit(store, make("gone"), note("three", "gone"));
    await store.memory.commit("other", [note("elsewhere")], { at });
    expect(await listed()).toEqual([3, "three on gone", "two on side", "one on main"]);
    expect(await listed(1)).toEqual([3, "three on gone"]);
    await commit(store, { do: "delete_branch", name: "gone" });
    expect(await listed()).toEqual([2, "two on side", "one on main"]);
  });

  test("the newest entry of a workspace is known, even if others have written a lot since", async () => {
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

  test("the event of a note keeps the old name of a renamed branch", async () => {
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

  test("pages of the feed contain each change once, at any page size", async () => {
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

  test("a page of the feed skips nothing, even if its thoughts are too long for one read", async () => {
    const store = openStore(backend);
    const id = await startSession(store.ledger);
    const written: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      const { entry } = await think(store.ledger, id, { thought: `${n}`.repeat(400_000) });
      const [{ seq }] = await commit(store, note(`${n}`));
      written.push(entry.seq, seq);
    }
    const seqs = (await store.feed.readFeed(0, 1_000)).map(({ seq }) => seq);
    expect(seqs).toEqual([...seqs].sort((one, other) => one - other));
    expect(seqs.filter((seq) => written.includes(seq))).toEqual(written);
  });

  test("a note is found as soon as it is written, without its copies", async () => {
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

  test("long traces without a note do not hide later notes from a search", async () => {
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
