import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { putIntoWords } from "../../src/operations/pipeline/recoveries.ts";
import { driverPath, openRaw } from "../support/disk/raw-database.ts";
import { findWords, openLedger, refusalOf, startSession, think, verifyChain } from "../support/ledger.ts";
import { openStore } from "../support/stores/stores.ts";
import { tempDir } from "../support/temp-dir.ts";

const dataDir = () => join(tempDir(), "a", "data");

test("nothing is created before the first call, and then only a private directory", async () => {
  const directory = dataDir();
  const store = openLedger("fs", { directory });
  expect(existsSync(directory)).toBe(false);
  await startSession(store);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
});

test("writes beside an unexpected error wait for the lock like all others", async () => {
  const directory = dataDir();
  const store = openLedger("fs", { directory });
  const id = await startSession(store);
  await holdLockOnAndOff(directory);
  for (let round = 0; round < 10; round += 1) {
    const crowd = [startSession(store, { id }), ...Array.from({ length: 20 }, () => think(store, id))];
    const outcomes = await Promise.allSettled(crowd);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", ...Array(20).fill("fulfilled")]);
  }
  expect(await verifyChain(store, id)).toBe(200);
});

test("a store of a newer Thoughtbox is refused in one sentence and not changed", async () => {
  const directory = dataDir();
  mkdirSync(directory, { recursive: true });
  const newer = openRaw(directory);
  newer.exec("CREATE TABLE future (x); PRAGMA user_version = 4711;");
  newer.close();
  await expectRefusedUntouched(directory, /newer Thoughtbox \(format 4711/, /Update thoughtbox/);
});

test.each([1, 17])(
  "a store of format %i, from before the first release, is refused and not changed",
  async (format) => {
    const directory = dataDir();
    mkdirSync(directory, { recursive: true });
    const earlier = openRaw(directory);
    earlier.exec(`CREATE TABLE sessions (sid); PRAGMA user_version = ${format};`);
    earlier.close();
    await expectRefusedUntouched(directory, /before the first release/, /dump.*131e350.*restore/);
  },
);

test("a file that is not a database is refused in one sentence and not changed", async () => {
  const directory = dataDir();
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "thoughtbox.db"), "a shopping list\n".repeat(300));
  await expectRefusedUntouched(directory, /not a Thoughtbox database/, /doctor/);
});

async function expectRefusedUntouched(directory: string, message: RegExp, hint: RegExp): Promise<void> {
  const file = join(directory, "thoughtbox.db");
  const before = readFileSync(file);
  const store = openLedger("fs", { directory });
  const calls = [() => store.readSession("x"), () => startSession(store), () => findWords(store, "x")];
  for (const call of calls) {
    const refusal = await refusalOf(call());
    expect(refusal.code).toBe("STORAGE_ERROR");
    const words = putIntoWords(refusal);
    expect(words.message).toMatch(message);
    expect(words.recovery?.hint).toMatch(hint);
  }
  expect(readFileSync(file).equals(before)).toBe(true);
}

/** Starts a process that repeatedly takes the write lock for a millisecond. */
async function holdLockOnAndOff(directory: string): Promise<void> {
  const source = `
    const { DatabaseSync } = require(${JSON.stringify(driverPath)});
    const db = new DatabaseSync(${JSON.stringify(join(directory, "thoughtbox.db"))}, { timeout: 0 });
    const nap = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    console.log("ready");
    for (;;) {
      try { db.exec("BEGIN IMMEDIATE"); nap(1); db.exec("COMMIT"); } catch {}
      nap(0.2);
    }`;
  const contender = spawn(process.execPath, ["-e", source], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void contender.kill("SIGKILL"));
  await once(contender.stdout, "data");
}

test("a closed store refuses calls and is not opened again in the background", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const directory = dataDir();
    const { ledger: store, close } = openStore("fs", { directory });
    const id = await startSession(store);
    const last = think(store, id);
    store.touch(id, "2026-11-15T13:00:00.000Z");
    await Promise.all([last, close()]);
    store.touch(id, "2026-11-15T14:00:00.000Z");
    rmSync(directory, { recursive: true });
    await vi.advanceTimersByTimeAsync(5_000);
    expect((await refusalOf(think(store, id))).code).toBe("STORAGE_ERROR");
    expect((await refusalOf(store.readSession(id))).code).toBe("STORAGE_ERROR");
    expect(existsSync(directory)).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});

test("writes that are in progress when the store closes are stored", async () => {
  const directory = dataDir();
  const { ledger: store, close } = openStore("fs", { directory });
  const id = await startSession(store);
  store.touch(id, "2026-11-15T18:00:00.000Z");
  const work = Array.from({ length: 300 }, () => think(store, id));
  await Promise.all([close(), ...work]);
  const again = openLedger("fs", { directory });
  expect(await verifyChain(again, id)).toBe(300);
  expect((await again.readSession(id))?.session.lastAccessedAt).toBe("2026-11-15T18:00:00.000Z");
});
