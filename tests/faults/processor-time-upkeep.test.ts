import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openBareApp } from "../support/bare-app.ts";
import { runCommand } from "../support/cli.ts";
import { openRaw } from "../support/disk/raw-database.ts";
import { hostileTexts } from "../support/processor-time/hostile-texts.ts";
import { expectShortPieces, takeLongestAfter } from "../support/processor-time/longest-piece.ts";
import { once } from "../support/run/once.ts";
import { tempDir } from "../support/temp-dir.ts";

const home = mkdtempSync(join(tmpdir(), "thoughtbox-test-"));
const dataDir = join(home, "data");
const thoughts = 120;

afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Writes long texts, and a graph with many edges, directly to the database. */
const longTexts = once(async (): Promise<void> => {
  const { client, close } = openBareApp("fs", dataDir);
  await client.call("thought", { sessionTitle: "Long texts", thought: "first" });
  const node = (id: string) => ({ op: "node_upsert", id, type: "note", title: id });
  const edge = { op: "edge_upsert", from: "hub", rel: "r", to: "end" };
  await client.call("graph_apply", { ops: [node("hub"), node("end"), edge] });
  await close();
  const db = openRaw(dataDir);
  db.exec(`WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${thoughts})
    INSERT INTO thoughts (seq, sid, position, branch_id, number, thought, total, next_needed, timestamp, needs_more,
      salt, prev_hash, hash)
    SELECT t.seq + i, t.sid, i, '', i, i || hex(zeroblob(500000)), i, 1, t.timestamp, 0, t.salt, t.prev_hash, t.hash
    FROM n, (SELECT * FROM thoughts LIMIT 1) t;
    UPDATE sessions SET thought_count = ${thoughts}, chain_length = ${thoughts}, highest = ${thoughts};
    UPDATE counters SET value = (SELECT max(seq) FROM thoughts) WHERE name IN ('projected_seq', 'durable_seq');
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150000)
    INSERT INTO graph_versions (seq, doc, bid, key, kind, deleted, visible, live_nodes, inherited_nodes, live_edges,
      fingerprint, type, source, target, ts_ms)
    SELECT e.seq + 1000 + i, e.doc, e.bid, e.key || i, 'edge', 0, 1, e.live_nodes, 0, e.live_edges + i,
      e.fingerprint || i, e.type || i, e.source, e.target, e.ts_ms
    FROM n, (SELECT * FROM graph_versions WHERE kind = 'edge') e;
    UPDATE counters SET value = (SELECT max(seq) FROM graph_versions) WHERE name = 'seq'`);
  db.close();
});

test.each(["backup", "dump", "doctor"])(
  "thoughtbox %s of a large store runs in short steps",
  async (command) => {
    await longTexts();
    const target = () => join(tempDir(), "copy");
    const piece = await takeLongestAfter(command, target, async (path) => {
      const { out } = await runCommand([command, ...(command === "doctor" ? [] : [path])], { dataDir });
      expect(out).toContain(`${thoughts} thoughts`);
    });
    expectShortPieces([piece]);
  },
  120_000,
);

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

test.each(["backup", "dump"])(
  "thoughtbox %s stops on a signal and leaves no partial file",
  async (command) => {
    await longTexts();
    const directory = tempDir();
    const path = join(directory, "copy");
    const stopping = new AbortController();
    const stopped = runCommand([command, path], { dataDir, stop: stopping.signal });
    while (sizeOf(path) === 0) await new Promise(setImmediate);
    stopping.abort();
    expect(await stopped).toMatchObject({ code: 1, out: "", err: expect.stringContaining("Stopped") });
    expect(readdirSync(directory)).toEqual([]);
  },
  60_000,
);

test("thoughtbox doctor reports no problems if it is stopped", async () => {
  await longTexts();
  const stopping = new AbortController();
  const stopped = runCommand(["doctor"], { dataDir, stop: stopping.signal });
  stopping.abort();
  expect(await stopped).toMatchObject({ code: 1, out: "", err: expect.stringContaining("Stopped") });
}, 60_000);

test("thoughtbox doctor --reindex stops on a signal, and the next search continues indexing", async () => {
  await longTexts();
  const search = () => runCommand(["search", "first", "--json"], { dataDir });
  expect((await search()).out).toContain("first");
  const indexed = () => {
    const db = openRaw(dataDir);
    try {
      const { seq } = db.prepare("SELECT value AS seq FROM counters WHERE name = 'indexed_seq'").get() ?? {};
      return Number(seq);
    } finally {
      db.close();
    }
  };
  const all = indexed();
  const stopping = new AbortController();
  const stopped = runCommand(["doctor", "--reindex"], { dataDir, stop: stopping.signal });
  while (indexed() === all) await new Promise(setImmediate);
  stopping.abort();
  expect(await stopped).toMatchObject({ code: 1, out: "", err: expect.stringContaining("Stopped") });
  expect(indexed()).toBeLessThan(all);
  expect((await search()).out).toContain("first");
}, 120_000);

test("a file with many lines that are not part of a dump is read in short steps, and the first are named", async () => {
  const file = join(tempDir(), "junk.jsonl");
  const format = '{"format":"thoughtbox-dump-3","createdAt":"2026-11-15T12:00:00.000Z"}\n';
  const end = '{"end":{"sessions":0,"thoughts":0,"notes":0}}\n';
  writeFileSync(file, `${format}${"x\n".repeat(60_000)}${end}`);
  const piece = await takeLongestAfter("restore", tempDir, async (empty) => {
    const { code, out } = await runCommand(["restore", file], { dataDir: join(empty, "data") });
    expect({ code, out }).toMatchObject({
      code: 1,
      out: expect.stringMatching(
        /No sessions.*Skipped\n {2}line 2 is not a line of a dump\n.*59,990 others/s,
      ),
    });
  });
  expectShortPieces([piece]);
}, 60_000);

const maxBytes = 1024 * 1024;
const shorten = (text: string): string =>
  Buffer.byteLength(text) > maxBytes ? text.slice(0, text.length / 3) : text;

test("a dump of long texts is restored in short steps", async () => {
  const directory = tempDir();
  const file = join(directory, "long.jsonl");
  const { client, close } = openBareApp("fs", join(directory, "data"));
  const { sessionId } = await client.call("start_new", { sessionTitle: "Long" });
  await client.call("cipher", { sessionId });
  const texts = Object.values(hostileTexts)
    .map((write) => `t${write(1_000_000)}`)
    .map(shorten);
  for (const thought of [...texts, ...texts, ...texts]) await client.call("thought", { sessionId, thought });
  await close();
  await runCommand(["dump", file], { dataDir: join(directory, "data") });
  const piece = await takeLongestAfter("restore", tempDir, async (empty) => {
    const { out } = await runCommand(["restore", file, "--json"], { dataDir: join(empty, "data") });
    expect(JSON.parse(out)).toMatchObject({ imported: 1, thoughts: 3 * texts.length, badLines: [] });
  });
  expectShortPieces([piece]);
}, 120_000);
