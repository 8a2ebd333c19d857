import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import type { Caller } from "../../src/operations/caller.ts";
import { cutShort, flipBit, scribbleSector, swapPages, zeroPage } from "../support/damage.ts";
import { openRaw } from "../support/raw-database.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { times } from "../support/soak.ts";
import { tempDir } from "../support/temp-dir.ts";
import { createTestApp, startThinking } from "../support/test-app.ts";

const rounds = times("damages", 40);
const caller: Caller = { era: "modern", transport: "stdio", can: { roots: false, sampling: false } };

/** Three sessions with branches, revisions and long texts, all in one database file, its log written back. */
async function makeStore() {
  const app = createTestApp({ backend: "fs", dataDir: join(tempDir(), "data") });
  const client = app.modern();
  const sessions: string[] = [];
  for (const name of ["one", "two", "three"]) {
    const sessionId = await startThinking(client, { title: `session ${name}`, tags: [name, "all"] });
    for (let n = 1; n <= 8; n += 1) {
      const thought = `S${n}|O|${name} thinks ${n} ${`${name}${n}-`.repeat(n % 3 === 0 ? 2_000 : 20)}`;
      await client.call("thought", { sessionId, thought });
    }
    await client.call("thought", { sessionId, thought: "else", branchId: "alt", branchFromThought: 2 });
    await client.call("thought", { sessionId, thought: "again", revisesThought: 3 });
    await client.call("session.verify", { sessionId });
    sessions.push(sessionId);
  }
  await app.close();
  const raw = openRaw(app.dataDir);
  raw.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  raw.close();
  return { dataDir: app.dataDir, sessions };
}

function copyOf(dataDir: string): string {
  const copy = join(tempDir(), "data");
  cpSync(dataDir, copy, { recursive: true });
  return copy;
}

/** What a reader sees of each session, whether `verify` calls it valid, and what `doctor` says of the file. */
async function look(dataDir: string, sessions: readonly string[]) {
  const config = readConfig({ env: { THOUGHTBOX_DATA_DIR: dataDir, DISABLE_THOUGHT_LOGGING: "true" } });
  const contentDir = join(import.meta.dirname, "..", "..", "content");
  const app = createApp({ config, version: "0.0.0-test", contentDir, log: () => {} });
  const ask = async (name: string, args: Record<string, unknown>): Promise<any> => {
    const reply = await app.perform(name, args, { caller });
    return reply.kind === "error" ? { refused: reply.error.code } : (reply as { result: unknown }).result;
  };
  try {
    const listed = await ask("list_sessions", { project: "*" });
    const views = [];
    for (const sessionId of sessions) {
      const exported = await ask("session.export", { sessionId });
      const single = await ask("read_thoughts", { sessionId, thoughtNumber: 4 });
      const last = await ask("read_thoughts", { sessionId, last: 20 });
      const structure = await ask("get_structure", { sessionId });
      const verdict = await ask("session.verify", { sessionId });
      const entry = listed.refused ?? listed.sessions.find(({ id }: { id: string }) => id === sessionId);
      const reads = [exported, single, last, structure, entry ?? { refused: "NOT_LISTED" }];
      views.push({
        seen: JSON.stringify(reads, (key, value) => (volatile.has(key) ? undefined : value)),
        refused: reads.flatMap((read) => read.refused ?? []) as string[],
        valid: verdict.valid === true,
      });
    }
    const problems = await app.upkeep.inspect().then(
      (found) => found.problems,
      () => ["cannot be inspected"],
    );
    return { views, problems };
  } finally {
    await app.close().catch(() => {});
  }
}

const volatile = new Set(["exportedAt", "lastAccessedAt", "status"]);

describe("damage to the database file", () => {
  const damages: [string, (path: string, random: () => number) => void][] = [
    ["a flipped bit", flipBit],
    ["a page of zeros", zeroPage],
    ["a sector of noise", scribbleSector],
    ["two pages swapped", swapPages],
    ["a file cut short", cutShort],
  ];

  test.each(damages)("%s is never shown as if it had been recorded", { timeout: 180_000 }, async (_what, damage) => {
    const seed = Date.now() % 1_000_000;
    const random = seededRandom(seed);
    const { dataDir, sessions } = await makeStore();
    const before = await look(copyOf(dataDir), sessions);
    expect(before.problems).toEqual([]);
    expect(before.views.every(({ valid }) => valid)).toBe(true);
    const count = { changed: 0, verify: 0, doctor: 0, silent: [] as string[], readable: 0 };
    for (let round = 0; round < rounds; round += 1) {
      const copy = copyOf(dataDir);
      damage(join(copy, "thoughtbox.db"), random);
      const after = await look(copy, sessions);
      for (const [n, view] of after.views.entries()) {
        if (view.seen === before.views[n]?.seen) count.readable += 1;
        else {
          count.changed += 1;
          if (!view.valid) count.verify += 1;
          else if (after.problems.length > 0 || view.refused.length > 0) count.doctor += 1;
          else count.silent.push(`seed ${seed}, round ${round}, session ${n}\n${view.seen.slice(0,0)}${diff(before.views[n]?.seen ?? "", view.seen)}`);
        }
      }
      rmSync(copy, { recursive: true });
    }
    process.stderr.write(`DBG ${_what} ${JSON.stringify(count)}\n`);
    expect(count.silent).toEqual([]);
  });
});
function diff(a: string, b: string) { let i = 0; while (a[i] === b[i] && i < a.length) i++; return `${a.slice(Math.max(0, i - 60), i + 40)} => ${b.slice(Math.max(0, i - 60), i + 40)}`; }
