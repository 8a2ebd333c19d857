import { join } from "node:path";
import { expect, test } from "vitest";
import { openLedger, refusalOf, startSession, think, verifyChain } from "../../support/ledger.ts";
import {
  lastingStores,
  noon,
  openStore,
  quietStores,
  storeKind,
  storeNames,
} from "../../support/stores/stores.ts";
import { tempDir } from "../../support/temp-dir.ts";

/** The cached state of a session must match the stored one, even if another process wrote last. */

const later = "2026-11-15T13:00:00.000Z";

test.each(storeNames)("a store sees its own writes of every kind immediately, in %s", async (backend) => {
  const { ledger, imports } = openStore(backend);
  const id = await startSession(ledger);
  const read = async () => (await ledger.readSession(id))?.session;
  expect(await read()).toMatchObject({ thoughtCount: 0, status: "active", updatedAt: noon });

  await think(ledger, id, { timestamp: later });
  expect(await read()).toMatchObject({ thoughtCount: 1, updatedAt: later, lastAccessedAt: later });
  await think(ledger, id, { branchId: "b", branchFromThought: 1, timestamp: noon });
  expect(await read()).toMatchObject({ thoughtCount: 2, branchCount: 1, updatedAt: later });
  await think(ledger, id, { nextThoughtNeeded: false });
  expect(await read()).toMatchObject({ status: "completed", completedAt: noon });
  await think(ledger, id);
  expect(await read()).toMatchObject({ status: "active", thoughtCount: 4 });
  expect(await read()).not.toHaveProperty("completedAt");

  await ledger.updateSession(id, { title: "renamed" }, later);
  expect(await read()).toMatchObject({ title: "renamed", thoughtCount: 4 });
  await ledger.saveState(id, { stage: 3 });
  expect((await ledger.readSession(id))?.state.stage).toBe(3);
  ledger.touch(id, "2026-11-15T14:00:00.000Z");
  await think(ledger, id);
  expect(await read()).toMatchObject({ lastAccessedAt: "2026-11-15T14:00:00.000Z", thoughtCount: 5 });

  await ledger.deleteSession(id, later);
  expect(await read()).toBeUndefined();
  expect((await refusalOf(think(ledger, id))).code).toBe("SESSION_NOT_FOUND");
  await ledger.restoreSession(id, later);
  expect((await think(ledger, id)).entry.data.thoughtNumber).toBe(5);
  expect(await imports.importParts([])).toEqual([]);
  expect(await verifyChain(ledger, id)).toBe(6);
});

test.each(quietStores)("a refused write to the memory keeps cached sessions, in %s", async (backend) => {
  const statements: string[] = [];
  storeKind(backend).watchStatements((statement) => statements.push(statement));
  const { ledger, memory } = openStore(backend);
  const createSide = () =>
    memory.commit("acme", [{ do: "create_branch", name: "side" }], { at: new Date(noon) });
  await createSide();
  const id = await startSession(ledger);
  for (let n = 0; n < 2; n += 1) await think(ledger, id);
  statements.length = 0;
  expect((await refusalOf(createSide())).code).toBe("CONFLICT");
  expect(statements.length).toBeGreaterThan(0);
  expect((await think(ledger, id)).entry.position).toBe(3);
  const reads = statements.filter((sql) => /^SELECT/.test(sql) && /\bsessions\b/.test(sql));
  expect(reads).toEqual([]);
});

test.each(lastingStores)(
  "a store sees another process's writes before it numbers the next thought, in %s",
  async (backend) => {
    const directory = join(tempDir(), "data");
    const [one, two] = [openLedger(backend, { directory }), openLedger(backend, { directory })];
    const id = await startSession(one);
    for (let n = 1; n <= 10; n += 1) {
      const store = n % 3 === 0 ? two : one;
      expect((await think(store, id)).entry).toMatchObject({ position: n, data: { thoughtNumber: n } });
      for (const reader of [one, two]) expect((await reader.readSession(id))?.session.thoughtCount).toBe(n);
    }
    await two.updateSession(id, { title: "renamed" }, later);
    expect((await one.readSession(id))?.session.title).toBe("renamed");
    await two.deleteSession(id, later);
    expect(await one.readSession(id)).toBeUndefined();
    expect((await refusalOf(think(one, id))).code).toBe("SESSION_NOT_FOUND");
    await two.restoreSession(id, later);
    expect((await think(one, id)).entry.position).toBe(11);
    expect(await verifyChain(two, id)).toBe(11);
  },
);

test.each(lastingStores)(
  "a write that is not about sessions does not make outdated cached sessions current, in %s",
  async (backend) => {
    const directory = join(tempDir(), "data");
    const [one, two] = [openStore(backend, { directory }), openStore(backend, { directory })];
    const id = await startSession(one.ledger);
    await think(one.ledger, id);
    await think(one.ledger, id, { branchId: "b", branchFromThought: 1 });
    for (const { ledger } of [two, one, two]) await think(ledger, id, { branchId: "b" });
    await one.captured.release("nobody");
    expect((await think(one.ledger, id, { branchId: "b" })).entry.position).toBe(6);
    expect(await verifyChain(two.ledger, id)).toBe(6);
  },
);
