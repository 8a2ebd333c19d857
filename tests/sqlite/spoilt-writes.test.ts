import { join } from "node:path";
import { expect, test } from "vitest";
import { readEvents } from "../events/read-events.ts";
import { openRaw } from "../support/disk/raw-database.ts";
import { openLedger, refusalOf, sessionDraft, startSession, think, verifyChain } from "../support/ledger.ts";
import { openStore } from "../support/stores/stores.ts";
import { tempDir } from "../support/temp-dir.ts";
import { createTestApp, startThinking } from "../support/test-app.ts";

test("a write that fails after its first row leaves nothing behind, and concurrent writes are kept", async () => {
  const directory = join(tempDir(), "data");
  const { ledger } = openStore("fs", { directory });
  const id = await startSession(ledger);
  const raw = openRaw(directory);
  raw.exec(`CREATE TRIGGER spoil BEFORE INSERT ON session_changes
    WHEN (SELECT title FROM sessions WHERE sid = new.sid) = 'spoilt' BEGIN SELECT RAISE(ABORT, 'spoilt'); END`);
  const [, refusal, after] = await Promise.all([
    think(ledger, id),
    refusalOf(ledger.createSession(sessionDraft({ title: "spoilt" }))),
    think(ledger, id),
  ]);
  expect(refusal.code).toBe("STORAGE_ERROR");
  expect(after.entry.position).toBe(2);
  expect(raw.prepare("SELECT count(*) AS n FROM sessions").get()).toEqual({ n: 1 });
  expect(raw.prepare("SELECT count(*) AS n FROM session_changes").get()).toEqual({ n: 1 });
  raw.close();
});

test("a thought whose transaction was rolled back is not counted", async () => {
  const directory = join(tempDir(), "data");
  const ledger = openLedger("fs", { directory });
  const id = await startSession(ledger);
  await think(ledger, id);
  const raw = openRaw(directory);
  raw.exec("CREATE TRIGGER no_more BEFORE UPDATE ON sessions BEGIN SELECT RAISE(ABORT, 'no more'); END");
  expect((await refusalOf(think(ledger, id))).code).toBe("STORAGE_ERROR");
  expect((await ledger.readSession(id))?.session.thoughtCount).toBe(1);
  raw.exec("DROP TRIGGER no_more");
  expect((await think(ledger, id)).entry).toMatchObject({ position: 2, data: { thoughtNumber: 2 } });
  expect(await verifyChain(ledger, id)).toBe(2);
});

test("a read that fails after a thought was stored is a warning, and the thought is announced", async () => {
  const logged: string[] = [];
  const log = (line: string) => logged.push(line);
  const app = createTestApp({ backend: "fs", env: { THOUGHTBOX_EVENT_OUTPUT: "file" }, log });
  const client = app.legacy();
  await client.call("list_sessions");
  const raw = openRaw(app.dataDir);
  // No index of the session can be made from these rows.
  raw.exec(`CREATE TRIGGER spoil AFTER INSERT ON thoughts BEGIN
    UPDATE thoughts SET revises_number = 1, revises_branch = x'ffff' WHERE seq = new.seq; END`);
  const opened = await client.call("thought", { thought: "S1|H|b:S3|It is DNS", verbose: true });
  expect(opened).toMatchObject({ thoughtNumber: 1, sessionOpened: true });
  expect(opened.warnings).toMatchObject([
    {
      code: "ANSWER_INCOMPLETE",
      message: expect.stringMatching(/^The thought is recorded\. Its references/),
    },
    {
      code: "ANSWER_INCOMPLETE",
      message: expect.stringMatching(/^The thought is recorded\. The answer has no/),
    },
  ]);
  expect(JSON.stringify(opened)).not.toMatch(/Nothing was changed/);
  const causes = logged.filter((line) => /^thoughtbox: .*Error/.test(line));
  expect(causes).toHaveLength(2);
  for (const { message } of opened.warnings ?? [])
    for (const cause of causes) expect(message).not.toContain(cause);
  const { sessionId } = opened;
  const next = await client.call("thought", { thought: "Or the proxy.", critique: true });
  expect(next).toMatchObject({ sessionId, thoughtNumber: 2, warnings: [{ code: "CRITIQUE_FAILED" }] });
  raw.exec("DROP TRIGGER spoil; UPDATE thoughts SET revises_number = NULL, revises_branch = NULL");
  raw.close();
  expect(await client.call("read_thoughts", { sessionId, last: 5 })).toMatchObject({
    thoughts: [{ thoughtNumber: 1 }, { thoughtNumber: 2 }],
  });
  await app.close();
  const events = readEvents(join(app.dataDir, "events.jsonl"));
  expect(events.map(({ type }) => type)).toEqual([
    "session_started",
    "stage_changed",
    "thought_added",
    "thought_added",
  ]);
});

test("a critique that cannot be stored is a warning, and its thought is stored", async () => {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  const sessionId = await startThinking(client);
  await client.call("thought", { sessionId, thought: "It is DNS." });
  const raw = openRaw(app.dataDir);
  raw.exec("CREATE TRIGGER no_more BEFORE INSERT ON critiques BEGIN SELECT RAISE(ABORT, 'no more'); END");
  raw.close();
  const attachCritique = { thoughtNumber: 1, text: "No evidence." };
  const recorded = await client.call("thought", { sessionId, thought: "Checked.", attachCritique });
  expect(recorded).toMatchObject({ thoughtNumber: 2, warnings: [{ code: "CRITIQUE_FAILED" }] });
  const { thoughts } = await client.call("read_thoughts", { sessionId, last: 5 });
  expect(thoughts.map(({ thought }: { thought: string }) => thought)).toEqual(["It is DNS.", "Checked."]);
});
