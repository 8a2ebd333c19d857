import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createThoughtIndex } from "../../src/domain/ledger/chain/thought-index.ts";
import {
  isSameSession,
  parseOwnManifest,
  renderManifest,
  toManifest,
} from "../../src/domain/ledger/tree/manifest.ts";
import { runAtOnce, runInTurns } from "../../src/kernel/steps.ts";
import { openBareApp } from "../support/bare-app.ts";
import { runCommand } from "../support/cli.ts";
import { openRaw } from "../support/disk/raw-database.ts";
import { expectShortPieces, type Piece, takeLongest } from "../support/processor-time/longest-piece.ts";
import { once } from "../support/run/once.ts";
import { tempDir } from "../support/temp-dir.ts";

const dataDir = mkdtempSync(join(tmpdir(), "thoughtbox-test-"));
const yearsDir = mkdtempSync(join(tmpdir(), "thoughtbox-test-"));

afterAll(() => {
  for (const directory of [dataDir, yearsDir]) rmSync(directory, { recursive: true, force: true });
});

const sessionOfMonths = once(() => writeSession(dataDir, 30_000));
const sessionOfYears = once(() => writeSession(yearsDir, 300_000));

/** Writes directly to the database. Every thought names the one before, and every seventh is a revision. */
async function writeSession(directory: string, thoughts: number): Promise<string> {
  const { client, close } = openBareApp("fs", directory);
  const { sessionId } = await client.call("start_new", { sessionTitle: "Months" });
  await client.call("cipher", { sessionId });
  await client.call("thought", { sessionId, thought: "S1|O|first" });
  await close();
  const db = openRaw(directory);
  db.exec(`WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${thoughts})
    INSERT INTO thoughts (seq, sid, position, branch_id, number, thought, total, next_needed, timestamp, needs_more,
      cipher, cipher_types, salt, prev_hash, hash, revises_branch, revises_number)
    SELECT t.seq + i, t.sid, i, '', i, 'S' || i || '|O|S' || (i - 1) || '|seen again', i, 1, t.timestamp, 0,
      t.cipher, t.cipher_types, t.salt, t.prev_hash, t.hash, iif(i % 7 = 0, '', NULL), iif(i % 7 = 0, 1, NULL)
    FROM n, (SELECT * FROM thoughts LIMIT 1) t;
    UPDATE sessions SET thought_count = ${thoughts}, chain_length = ${thoughts}, highest = ${thoughts};
    UPDATE counters SET value = (SELECT max(seq) FROM thoughts) WHERE name IN ('projected_seq', 'durable_seq')`);
  db.close();
  return sessionId;
}

test.each([
  ["get_structure", { detail: "nodes" }],
  ["session.analyze", {}],
  ["deep_analysis", {}],
  ["session.extract_learnings", {}],
  ["session.export", { format: "json", destination: "months.json" }],
  ["session.export", { format: "markdown", destination: "months.md" }],
  ["session.export", { format: "cipher", destination: "months.txt" }],
])(
  "%s of a months-long session runs in short steps, %j",
  async (name, args) => {
    const sessionId = await sessionOfMonths();
    const { client, close } = openBareApp("fs", dataDir);
    const piece = await takeLongest(name, () => client.call(name, { sessionId, ...args }));
    await close();
    expectShortPieces([piece]);
  },
  60_000,
);

test("a search of a months-long session for words it does not contain runs in short steps", async () => {
  const sessionId = await sessionOfMonths();
  const { client, close } = openBareApp("fs", dataDir);
  const args = { branch: `session/${sessionId}`, text: "nowhere to be found" };
  const piece = await takeLongest("graph_query", async () =>
    expect((await client.call("graph_query", args)).nodes).toEqual([]),
  );
  await close();
  expectShortPieces([piece]);
}, 60_000);

test("a years-long session is exported and shown in short steps", async () => {
  const sessionId = await sessionOfYears();
  const { client, close } = openBareApp("fs", yearsDir);
  const exported = await takeLongest("session.export", async () =>
    expect(await client.call("session.export", { sessionId })).toMatchObject({ hasMore: true }),
  );
  await close();
  const drawn = await takeLongest("show", async () =>
    expect((await runCommand(["show", sessionId], { dataDir: yearsDir })).out).toContain("S300000|O|"),
  );
  expectShortPieces([exported, drawn]);
}, 180_000);

test.each(["show", "show --json", "export", "analyze", "verify --json"])(
  "thoughtbox %s of a months-long session runs in short steps",
  async (line) => {
    const sessionId = await sessionOfMonths();
    const [command = "", ...flags] = line.split(" ");
    const piece = await takeLongest(line, async () => {
      const { out } = await runCommand([command, sessionId, ...flags], { dataDir });
      expect(out).not.toBe("");
    });
    expectShortPieces([piece]);
  },
  120_000,
);

test("learnings from a long thought with many revisions are extracted in short steps", async () => {
  const { client, close } = openBareApp("memory", dataDir);
  const { sessionId } = await client.call("start_new", { sessionTitle: "Corrected" });
  await client.call("cipher", { sessionId });
  await client.call("thought", { sessionId, thought: "password=token: ".repeat(60_000) });
  for (let n = 0; n < 300; n += 1)
    await client.call("thought", { sessionId, thought: `correction ${n}`, revisesThought: 1 });
  const args = { sessionId, targetTypes: ["anti-pattern"] };
  const piece = await takeLongest("learned", async () => {
    const { learnings, count } = await client.call("session.extract_learnings", args);
    // A thought with many revisions is still one dead end.
    expect([learnings.length, count]).toEqual([1, 1]);
  });
  await close();
  expectShortPieces([piece]);
}, 60_000);

test("a graph of a hundred thousand edges is checked completely, in short steps", async () => {
  const graphDir = join(tempDir(), "data");
  const lost = 2_500;
  const { client, close } = openBareApp("fs", graphDir);
  const node = (id: string) => ({ op: "node_upsert", id, type: "note", title: id });
  await client.call("graph_apply", {
    ops: [node("hub"), node("end"), { op: "edge_upsert", from: "hub", rel: "r", to: "end" }],
  });
  await close();
  const db = openRaw(graphDir);
  db.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
    INSERT INTO graph_versions (seq, doc, bid, key, kind, deleted, visible, live_nodes, inherited_nodes, live_edges,
      fingerprint, type, source, target, ts_ms)
    SELECT e.seq + i, e.doc, e.bid, e.key || i, 'edge', 0, 1, e.live_nodes, 0, e.live_edges + i, e.fingerprint || i,
      e.type || i, e.source, iif(i % 40 = 0, 'gone', e.target), e.ts_ms
    FROM n, (SELECT * FROM graph_versions WHERE kind = 'edge') e;
    UPDATE counters SET value = (SELECT max(seq) FROM graph_versions) WHERE name = 'seq'`);
  db.close();
  const again = openBareApp("fs", graphDir);
  const pieces: Piece[] = [];
  for (const name of ["graph_validate", "diagnostics", "think_lint"])
    pieces.push(await takeLongest(name, () => again.client.call(name, {})));
  const { errors, errors_total, stats } = await again.client.call("graph_validate", { max_errors: 2 });
  await again.close();
  expect({ errors_total, edges: stats.edges }).toEqual({ errors_total: lost, edges: 100_001 });
  expect(errors).toHaveLength(2);
  expectShortPieces(pieces);
}, 120_000);

test("a manifest of a million thoughts is created, printed, read and compared in short steps", async () => {
  const sessionId = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
  const index = createThoughtIndex(sessionId);
  for (let n = 1; n <= 1_000_000; n += 1) index.add({ position: n, address: { thoughtNumber: n } });
  const at = "2026-11-15T12:00:00.000Z";
  const session = {
    ...{ id: sessionId, title: "Months", tags: [], project: "_default", status: "active" as const },
    ...{ thoughtCount: index.size, branchCount: 0, createdAt: at, updatedAt: at, lastAccessedAt: at },
  };
  const record = { session, state: { stage: 2 as const, navigation: {} } };
  const head = { length: index.size, hash: "ab".repeat(32) };
  const facts = { record, head, index, critiques: { length: 0 } };
  const manifest = runAtOnce(toManifest(facts, new Date(at)));
  const text = runAtOnce(renderManifest(manifest));
  const again = structuredClone(manifest);
  const works = {
    made: () => toManifest(facts, new Date(at)),
    printed: () => renderManifest(manifest),
    read: () => parseOwnManifest(text),
    compared: () => isSameSession(manifest, again),
  };
  const pieces: Piece[] = [];
  for (const [what, work] of Object.entries(works)) {
    const steps = work;
    pieces.push(await takeLongest(what, async () => expect(await runInTurns<unknown>(steps())).toBeTruthy()));
  }
  expectShortPieces(pieces);
}, 60_000);
