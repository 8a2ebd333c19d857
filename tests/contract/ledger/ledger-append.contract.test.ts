import { describe, expect, test } from "vitest";
import { allEntries, openLedger, refusalOf, startSession, think, verifyChain } from "../../support/ledger.ts";
import { storeNames } from "../../support/stores/stores.ts";

const later = "2026-11-15T12:30:00.000Z";
const earlier = "2026-11-15T11:00:00.000Z";

describe.each(storeNames)("appending to %s", (backend) => {
  test("numbers thoughts, and accepts chosen numbers in any order", async () => {
    const store = openLedger(backend);
    const id = await startSession(store);
    const numbers: number[] = [];
    for (const thoughtNumber of [undefined, 7, 5, undefined, 2]) {
      const { entry } = await think(store, id, { thoughtNumber });
      numbers.push(entry.data.thoughtNumber);
    }
    expect(numbers).toEqual([1, 7, 5, 8, 2]);
    expect((await allEntries(store, id)).map(({ position }) => position)).toEqual([1, 2, 3, 4, 5]);
  });

  test("keeps totalThoughts, raises it if it is too small, and defaults it to the number", async () => {
    const store = openLedger(backend);
    const id = await startSession(store);
    const totals: number[] = [];
    for (const more of [{ totalThoughts: 9 }, { totalThoughts: 1 }, {}]) {
      totals.push((await think(store, id, more)).entry.data.totalThoughts);
    }
    expect(totals).toEqual([9, 2, 3]);
  });

  test("refuses a number in use and returns the next free one", async () => {
    const store = openLedger(backend);
    const id = await startSession(store);
    await think(store, id, { thought: "first" });
    await think(store, id, { thought: "second" });
    const refusal = await refusalOf(think(store, id, { thought: "intruder", thoughtNumber: 1 }));
    expect(refusal).toMatchObject({
      code: "INVALID_PAYLOAD",
      facts: { next: 3 },
    });
    expect((await allEntries(store, id)).map(({ data }) => data.thought)).toEqual(["first", "second"]);
  });

  test("a branch continues from its fork with its own numbers", async () => {
    const store = openLedger(backend);
    const id = await startSession(store);
    await think(store, id);
    await think(store, id);
    const opened = await think(store, id, { branchId: "redis", branchFromThought: 1 });
    const continued = await think(store, id, { branchId: "redis" });
    const named = await think(store, id, { branchFromThought: 2 });
    const nested = await think(store, id, {
      branchId: "deep",
      branchFromBranch: "redis",
      branchFromThought: 3,
    });
    expect(opened.entry.data).toMatchObject({ branchId: "redis", thoughtNumber: 2, branchFromThought: 1 });
    expect(continued.entry.data).toMatchObject({ branchId: "redis", thoughtNumber: 3 });
    expect(continued.entry.data).not.toHaveProperty("branchFromThought");
    expect(named.entry.data).toMatchObject({ branchId: "branch-1", thoughtNumber: 3 });
    expect(nested.entry.data).toMatchObject({ branchFromBranch: "redis", thoughtNumber: 4 });
    expect(nested).toMatchObject({ thoughtCount: 6, branchCount: 3 });
    expect((await store.readSession(id))?.session).toMatchObject({ thoughtCount: 6, branchCount: 3 });
  });

  test("refuses thoughts that refer to something missing, and stores nothing", async () => {
    const store = openLedger(backend);
    const id = await startSession(store);
    await think(store, id);
    await think(store, id, { branchId: "a", branchFromThought: 1 });
    const before = await store.readHead(id);
    const refused = [
      [{ branchId: "unknown" }, "INVALID_PAYLOAD"],
      [{ branchId: "b", branchFromThought: 2 }, "THOUGHT_NOT_FOUND"],
      [{ branchId: "b", branchFromThought: 1, branchFromBranch: "nobody" }, "THOUGHT_NOT_FOUND"],
      [{ branchId: "a", branchFromBranch: "a" }, "INVALID_PAYLOAD"],
      [{ branchId: "a", branchFromThought: 2, branchFromBranch: "a" }, "INVALID_PAYLOAD"],
      [{ branchId: "a", thoughtNumber: 2 }, "INVALID_PAYLOAD"],
      [{ revisesThought: 2 }, "THOUGHT_NOT_FOUND"],
      [{ branchId: "a", revisesThought: 3 }, "THOUGHT_NOT_FOUND"],
    ] as const;
    for (const [more, code] of refused) expect((await refusalOf(think(store, id, more))).code).toBe(code);
    expect(await store.readHead(id)).toEqual(before);
    expect((await store.readSession(id))?.session.branchCount).toBe(1);
  });

  test("a revision in a branch refers to the branch's thought, or to its ancestors' up to the fork", async () => {
    const store = openLedger(backend);
    const id = await startSession(store);
    for (let n = 0; n < 3; n += 1) await think(store, id);
    await think(store, id, { branchId: "a", branchFromThought: 2 });
    await think(store, id, { branchId: "b", branchFromBranch: "a", branchFromThought: 3 });
    const revises = async (revisesThought: number) =>
      (await think(store, id, { branchId: "b", revisesThought })).entry.data.revises;
    expect(await revises(4)).toEqual({ branchId: "b", thoughtNumber: 4 });
    expect(await revises(3)).toEqual({ branchId: "a", thoughtNumber: 3 });
    expect(await revises(2)).toEqual({ thoughtNumber: 2 });
  });

  test.each(["constructor", "prototype", "tostring", "-", "0"])(
    "a branch may be called %s",
    async (branchId) => {
      const store = openLedger(backend);
      const id = await startSession(store);
      await think(store, id);
      expect((await refusalOf(think(store, id, { branchId }))).code).toBe("INVALID_PAYLOAD");
      await think(store, id, { branchId, branchFromThought: 1 });
      const { entry } = await think(store, id, { branchId });
      expect(entry.data).toMatchObject({ branchId, thoughtNumber: 3 });
    },
  );

  test("two hundred concurrent thoughts get two hundred numbers and one valid chain", async () => {
    const store = openLedger(backend);
    const id = await startSession(store);
    const receipts = await Promise.all(Array.from({ length: 200 }, () => think(store, id)));
    const numbers = receipts.map(({ entry }) => entry.data.thoughtNumber);
    expect([...numbers].sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
    expect(await verifyChain(store, id)).toBe(200);
  });

  test("refusals do not affect concurrent thoughts", async () => {
    const store = openLedger(backend);
    const id = await startSession(store);
    await think(store, id);
    const crowd = Array.from({ length: 60 }, (_, n) =>
      think(store, id, n % 3 === 0 ? { thoughtNumber: 1 } : {}),
    );
    const outcomes = await Promise.allSettled(crowd);
    expect(outcomes.map(({ status }) => status)).toEqual(
      outcomes.map((_, n) => (n % 3 === 0 ? "rejected" : "fulfilled")),
    );
    expect(await verifyChain(store, id)).toBe(41);
  });

  test("an unexpected error fails only its own call", async () => {
    const store = openLedger(backend);
    const id = await startSession(store, { title: "taken" });
    const good = Array.from({ length: 20 }, () => think(store, id));
    const bad = startSession(store, { id, title: "the same id again" });
    const more = Array.from({ length: 20 }, () => think(store, id));
    expect((await refusalOf(bad)).code).toBe("STORAGE_ERROR");
    const receipts = await Promise.all([...good, ...more]);
    expect(new Set(receipts.map(({ entry }) => entry.data.thoughtNumber)).size).toBe(40);
    expect(await verifyChain(store, id)).toBe(40);
  });

  test("ending the main chain completes the session, and a later thought reopens it", async () => {
    const store = openLedger(backend);
    const id = await startSession(store);
    const session = async () => (await store.readSession(id))?.session;
    await think(store, id);
    await think(store, id, { branchId: "a", branchFromThought: 1, nextThoughtNeeded: false });
    expect(await session()).toMatchObject({ status: "active" });
    await think(store, id, { nextThoughtNeeded: false, timestamp: later });
    expect(await session()).toMatchObject({ status: "completed", completedAt: later, updatedAt: later });
    await think(store, id);
    expect(await session()).toMatchObject({ status: "active" });
    expect(await session()).not.toHaveProperty("completedAt");
  });

  test("a clock that runs backwards does not change the order", async () => {
    const store = openLedger(backend);
    const id = await startSession(store);
    await think(store, id, { timestamp: later });
    await think(store, id, { timestamp: earlier });
    const entries = await allEntries(store, id);
    expect(entries.map(({ data }) => data.timestamp)).toEqual([later, earlier]);
    expect(entries[0]?.seq).toBeLessThan(entries[1]?.seq ?? 0);
    expect((await store.readSession(id))?.session.updatedAt).toBe(later);
    expect(await verifyChain(store, id)).toBe(2);
  });

  test.each([
    ["astral characters", "\u{1F9E0} \u{10FFFF}"],
    ["every control character", String.fromCharCode(...Array.from({ length: 160 }, (_, n) => n + 1))],
    ["a byte order mark", "\ufeffstart"],
    ["a mebibyte", "x".repeat(1024 * 1024)],
    ["an SQL statement", "'; DROP TABLE thoughts; --"],
  ])("text with %s is stored unchanged and verifies", async (_what, thought) => {
    const store = openLedger(backend);
    const id = await startSession(store);
    await think(store, id, { thought, agentId: "agent.1", needsMoreThoughts: true });
    const [entry] = await allEntries(store, id);
    expect(entry?.data).toMatchObject({ agentId: "agent.1", needsMoreThoughts: true });
    expect(entry?.data.thought === thought).toBe(true);
    expect(await verifyChain(store, id)).toBe(1);
  });

  test("text with a NUL is refused, and concurrent thoughts are stored", async () => {
    const store = openLedger(backend);
    const id = await startSession(store);
    const crowd = ["one", "two\u0000half", "three"].map((thought) => think(store, id, { thought }));
    expect((await refusalOf(crowd[1] as Promise<unknown>)).code).toBe("INVALID_PAYLOAD");
    await Promise.all([crowd[0], crowd[2]]);
    expect((await allEntries(store, id)).map(({ data }) => data.thought)).toEqual(["one", "three"]);
    expect(await verifyChain(store, id)).toBe(2);
  });
});
