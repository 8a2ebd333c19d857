import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { describeStructure } from "../../../src/domain/ledger/chain/structure.ts";
import { readCipher } from "../../../src/domain/ledger/thought.ts";
import type { LedgerStore, ThoughtSelection } from "../../../src/ports/ledger-store.ts";
import { allEntries, openLedger, startSession, think } from "../../support/ledger.ts";
import { storeNames } from "../../support/stores/stores.ts";

const observation = [{ number: 1, type: "O", references: [] }];
const hypothesis = [{ number: 2, type: "H", references: [{ number: 1 }] }];

/** Records 1, 5, 4, 6 on main and 2, 3 on branch b. Both 6 and b:3 revise 1. */
async function startStory(store: LedgerStore): Promise<string> {
  const id = await startSession(store);
  await think(store, id, { thought: "one", cipher: observation });
  await think(store, id, { thought: "five", thoughtNumber: 5, cipher: hypothesis });
  await think(store, id, { thought: "four", thoughtNumber: 4 });
  await think(store, id, { thought: "b two", branchId: "b", branchFromThought: 1 });
  await think(store, id, { thought: "six", revisesThought: 1, cipher: hypothesis });
  await think(store, id, { thought: "b three", branchId: "b", revisesThought: 1 });
  return id;
}

describe.each(storeNames)("reading from %s", (backend) => {
  async function read(selection: ThoughtSelection): Promise<string[]> {
    const store = openLedger(backend);
    const thoughts = await store.readThoughts(await startStory(store), selection);
    return thoughts.map(({ data }) => data.thought);
  }

  test.each<[what: string, selection: ThoughtSelection, expected: string[]]>([
    ["one by number", { select: "one", thoughtNumber: 5 }, ["five"]],
    ["one that does not exist", { select: "one", thoughtNumber: 2 }, []],
    ["one in a branch", { select: "one", thoughtNumber: 2, branchId: "b" }, ["b two"]],
    ["the last by arrival, oldest first", { select: "last", count: 2 }, ["four", "six"]],
    ["more than there are", { select: "last", count: 50 }, ["one", "five", "four", "six"]],
    ["the last in a branch", { select: "last", count: 1, branchId: "b" }, ["b three"]],
    ["a range by number", { select: "range", from: 1, to: 5, count: 9 }, ["one", "four", "five"]],
    ["a range limited to its end", { select: "range", from: 1, to: 9, count: 2 }, ["five", "six"]],
    ["an empty range", { select: "range", from: 2, to: 3, count: 9 }, []],
    ["only one cipher type", { select: "last", count: 9, type: "H" }, ["five", "six"]],
    ["a type that is filtered before the count", { select: "last", count: 1, type: "O" }, ["one"]],
    ["an unknown branch", { select: "last", count: 9, branchId: "nobody" }, []],
  ])("thoughts are selected: %s", async (_what, selection, expected) => {
    expect(await read(selection)).toEqual(expected);
  });

  test("a revision and its original point at each other", async () => {
    const store = openLedger(backend);
    const id = await startStory(store);
    const [original] = await store.readThoughts(id, { select: "one", thoughtNumber: 1 });
    const [revision] = await store.readThoughts(id, { select: "one", thoughtNumber: 6 });
    expect(original?.data).toMatchObject({ thought: "one", cipher: observation });
    expect(original?.data.revisedBy).toEqual([{ thoughtNumber: 6 }, { branchId: "b", thoughtNumber: 3 }]);
    expect(revision?.data).toMatchObject({
      isRevision: true,
      revisesThought: 1,
      revises: { thoughtNumber: 1 },
    });
  });

  test("entries are returned in arrival order, in pages without gaps", async () => {
    const store = openLedger(backend);
    const id = await startSession(store);
    for (let n = 0; n < 7; n += 1) await think(store, id, { thoughtNumber: 10 - n });
    const pages: number[][] = [];
    for (let after = 0; after < 7; after += 3) {
      pages.push((await store.readEntries(id, after, 3)).map(({ data }) => data.thoughtNumber));
    }
    expect(pages).toEqual([[10, 9, 8], [7, 6, 5], [4]]);
    expect(await store.readEntries(id, 7, 3)).toEqual([]);
  });

  test("a stride ends early if its texts are long, and reports whether it is the last", async () => {
    const store = openLedger(backend);
    const id = await startSession(store);
    for (const size of [700_000, 700_000, 1_000_000, 10, 10])
      await think(store, id, { thought: "x".repeat(size) });
    const strides: number[][] = [];
    for (let after = 0, isLast = false; !isLast; ) {
      const stride = await store.readStride(id, after, 4);
      strides.push(stride.entries.map(({ position }) => position));
      after = stride.entries.at(-1)?.position ?? after;
      isLast = stride.isLast;
    }
    expect(strides.flat()).toEqual([1, 2, 3, 4, 5]);
    expect(strides.slice(0, 2)).toEqual([[1], [2]]);
    expect(await store.readStride(id, 5, 4)).toEqual({ entries: [], isLast: true });
  });

  test("the head is the last entry", async () => {
    const store = openLedger(backend);
    const id = await startStory(store);
    const last = (await allEntries(store, id)).at(-1);
    expect(await store.readHead(id)).toEqual({ length: 6, hash: last?.hash });
  });

  test("an unknown session reads as empty", async () => {
    const store = openLedger(backend);
    const id = randomUUID();
    expect(await store.readThoughts(id, { select: "last", count: 5 })).toEqual([]);
    expect(await store.readEntries(id, 0, 5)).toEqual([]);
    expect((await store.loadIndex(id)).size).toBe(0);
  });

  test("the index describes the session and follows later appends", async () => {
    const store = openLedger(backend);
    const id = await startStory(store);
    const index = await store.loadIndex(id);
    expect(index.chain()).toEqual([1, 4, 5, 6]);
    expect(describeStructure(index)).toMatchObject({
      totalThoughts: 6,
      mainChain: { length: 4, head: 1, tail: 6 },
      branches: { b: { forks: 1, range: [2, 3], length: 2 } },
      revisionCount: 2,
    });
    await think(store, id, { branchId: "c", branchFromBranch: "b", branchFromThought: 3 });
    const fresh = describeStructure(await store.loadIndex(id));
    expect(fresh.branches["c"]).toEqual({ forks: 3, fromBranch: "b", range: [4, 4], length: 1 });
  });

  test("rejected thoughts are known immediately, including later ones", async () => {
    const store = openLedger(backend);
    const id = await startSession(store);
    const write = (thought: string, more: object = {}) =>
      think(store, id, { thought, cipher: readCipher(thought), ...more });
    const isRejected = async (thoughtNumber: number, branchId?: string) =>
      (await store.loadRejections(id)).isRejected({ thoughtNumber, branchId });
    await write("S1|H|the disk");
    await write("plain words");
    expect(await isRejected(1)).toBe(false);
    await write("S3|X|S1|it is idle");
    await write("S3|X|S2|nor this", { branchId: "b", branchFromThought: 2 });
    expect([await isRejected(1), await isRejected(2), await isRejected(3)]).toEqual([true, true, false]);
    expect(await isRejected(1, "b")).toBe(false);
    expect((await store.loadRejections(randomUUID())).isRejected({ thoughtNumber: 1 })).toBe(false);
  });

  test("indexes of many sessions do not mix", async () => {
    const store = openLedger(backend);
    const ids = await Promise.all(Array.from({ length: 20 }, () => startSession(store)));
    await Promise.all(ids.flatMap((id, n) => Array.from({ length: n }, () => think(store, id))));
    const sizes = await Promise.all(ids.map(async (id) => (await store.loadIndex(id)).size));
    expect(sizes).toEqual(ids.map((_, n) => n));
  });
});
