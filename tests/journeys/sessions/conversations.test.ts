import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../../support/temp-dir.ts";
import { createTestApp, eras, lastingWays, ways } from "../../support/test-app.ts";

const talking = (id: string, more: { agent?: string; client?: string; toolUse?: string } = {}) => ({
  client: more.client ?? "agent",
  conversation: { id, agent: more.agent },
  toolUse: more.toolUse,
});

describe.each(ways)("a conversation of a %s client over %s", (era, backend) => {
  test("continues in its session without naming it", async () => {
    const client = createTestApp({ backend })[era](talking("c1"));
    const { sessionId } = await client.call("thought", { thought: "one" });
    expect(await client.call("thought", { thought: "two" })).toEqual({ sessionId, thoughtNumber: 2 });
    expect(await client.call("read_thoughts", { last: 5 })).toMatchObject({
      sessionId,
      thoughts: [{ thought: "one" }, { thought: "two" }],
    });
    expect(await client.call("get_state")).toMatchObject({ sessionId });
  });

  test("continues over another connection, but not in another conversation", async () => {
    const app = createTestApp({ backend });
    const { sessionId } = await app[era](talking("c1")).call("thought", { thought: "one" });
    expect(await app[era](talking("c1")).call("thought", { thought: "two" })).toEqual({
      sessionId,
      thoughtNumber: 2,
    });
    const other = await app[era](talking("c2")).call("thought", { thought: "three" });
    expect(other).toMatchObject({ thoughtNumber: 1, sessionOpened: true });
    expect(await app[era](talking("c1", { client: "another" })).call("get_state")).toMatchObject({
      sessionId: null,
    });
  });

  test("keeps the session that it started, loaded, or wrote to by its id", async () => {
    const app = createTestApp({ backend });
    const { sessionId: first } = await app[era]().call("start_new", { title: "first" });
    const client = app[era](talking("c1"));
    await client.call("thought", { sessionId: first, thought: "handed over" });
    expect(await client.call("thought", { thought: "two" })).toMatchObject({ sessionId: first });
    const { sessionId: second } = await client.call("start_new", { title: "second" });
    await client.call("thought", { sessionId: first, thought: "an aside" });
    expect(await client.call("thought", { thought: "here" })).toMatchObject({ sessionId: second });
    await client.call("load_context", { sessionId: first });
    expect(await app[era](talking("c1")).call("thought", { thought: "there" })).toMatchObject({
      sessionId: first,
    });
  });

  test("whose session was deleted opens another", async () => {
    const app = createTestApp({ backend });
    const client = app[era](talking("c1"));
    const { sessionId } = await client.call("thought", { thought: "one" });
    await app[era]().call("session.delete", { sessionId, confirm: true });
    expect((await client.call("thought", { thought: "two" })).sessionId).not.toBe(sessionId);
  });

  test("has a branch for each sub-agent that has its own ID", async () => {
    const app = createTestApp({ backend });
    const { sessionId } = await app[era](talking("c1")).call("thought", { thought: "one" });
    const scout = app[era](talking("c1", { agent: "01a1e91c-894a-78c1-ac21-7040956e54f8" }));
    const branchId = "agent-c21-7040956e54f8";
    expect(await scout.call("thought", { thought: "looking" })).toEqual({
      sessionId,
      branchId,
      thoughtNumber: 2,
    });
    expect(await app[era](talking("c1")).call("thought", { thought: "two" })).toEqual({
      sessionId,
      thoughtNumber: 2,
    });
    expect(await scout.call("thought", { thought: "found", nextThoughtNeeded: false })).toEqual({
      sessionId,
      branchId,
      thoughtNumber: 3,
    });
    expect(
      await app[era](talking("c1", { agent: "b" })).call("thought", { thought: "me too" }),
    ).toMatchObject({
      branchId: "agent-b",
      thoughtNumber: 3,
    });
  });

  test("never shows its ID in an answer or export", async () => {
    const app = createTestApp({ backend });
    const client = app[era](talking("conversation-7", { toolUse: "tool-use-7" }));
    const { sessionId } = await client.call("thought", { thought: "one" });
    const shown = [];
    for (const [name, args] of [
      ["read_thoughts", { sessionId, verbose: true }],
      ["load_context", { sessionId }],
      ["session.get", { sessionId }],
      ["session.export", { sessionId, format: "json" }],
      ["session.export", { sessionId, format: "markdown" }],
      ["open", { id: `${sessionId}:1` }],
    ] as const)
      shown.push(JSON.stringify(await client.call(name, args)));
    expect(shown.join()).not.toMatch(/conversation-7|tool-use-7/);
  });
});

test.each(eras)(
  "a conversation of a %s client never writes its ID to a file that people or programs read",
  async (era) => {
    const events = join(tempDir(), "events.jsonl");
    const app = createTestApp({
      backend: "fs",
      env: { THOUGHTBOX_EVENT_OUTPUT: "file", THOUGHTBOX_EVENT_FILE: events },
    });
    const client = app[era](talking("conversation-8", { toolUse: "tool-use-8" }));
    const { sessionId } = await client.call("thought", { thought: "one" });
    await client.call("thought", { thought: "two" });
    await client.call("session.update", { sessionId, title: "Named" });
    await client.call("notes_commit", { content: "kept" });
    await client.call("tasks_create", { title: "A plan" });
    await app.close();
    const files = readdirSync(app.dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.includes(".db"))
      .map((entry) => join(entry.parentPath, entry.name));
    expect(files.some((file) => file.includes(sessionId))).toBe(true);
    for (const file of [...files, events])
      expect(readFileSync(file, "utf8"), file).not.toMatch(/conversation-8|tool-use-8/);
    expect(readFileSync(events, "utf8")).toContain(sessionId);
  },
);

describe.each(ways)("two %s clients over %s", (era, backend) => {
  test("share nothing by accident, whether or not they name a conversation", async () => {
    const app = createTestApp({ backend });
    const clients = [app[era](), app[era](), app[era](talking("c1")), app[era](talking("c2"))];
    const opened: string[] = [];
    for (const client of clients) {
      expect(await client.call("get_state")).toMatchObject({ stage: 0, sessionId: null });
      opened.push((await client.call("thought", { thought: "the same words" })).sessionId);
    }
    expect(new Set(opened).size).toBe(clients.length);
  });
});

test.each(lastingWays)("a conversation of a %s client over %s outlives the server", async (era, backend) => {
  const first = createTestApp({ backend });
  const { sessionId } = await first[era](talking("c1")).call("thought", { thought: "one" });
  await first.close();
  const second = createTestApp({ backend, dataDir: first.dataDir });
  expect(await second[era](talking("c1")).call("thought", { thought: "two" })).toEqual({
    sessionId,
    thoughtNumber: 2,
  });
});

test.each(eras)("two conversations over one %s connection have separate sessions", async (era) => {
  const app = createTestApp();
  const one = app[era](talking("c1"));
  const two = app[era]({ ...talking("c2"), binding: one.caller.binding });
  const { sessionId } = await one.call("thought", { thought: "one" });
  expect((await two.call("thought", { thought: "one" })).sessionId).not.toBe(sessionId);
});

describe("a client over HTTP that names no conversation", () => {
  test("gets its sessionId in next, and is reminded of the first session when it opens a second", async () => {
    const client = createTestApp({ backend: "http" }).modern({ client: "agent" });
    const first = await client.call("thought", { thought: "one" });
    expect(first.next).toContain(first.sessionId);
    expect(first.warnings).toBeUndefined();
    const second = await client.call("thought", { thought: "two" });
    expect(second.sessionId).not.toBe(first.sessionId);
    expect(second.warnings).toMatchObject([
      { code: "SESSION_OPENED_BEFORE", message: expect.stringContaining(first.sessionId) },
    ]);
  });

  test("is not reminded of a session that another client opened or that is over ten minutes old", async () => {
    let now = Date.parse("2026-11-16T08:00:00Z");
    const app = createTestApp({ clock: () => new Date(now) });
    const open = async (client: string) =>
      app.modern({ transport: "http", client }).call("thought", { thought: "one" });
    await open("agent");
    expect((await open("another")).warnings).toBeUndefined();
    now += 10 * 60_000 + 1;
    expect((await open("agent")).warnings).toBeUndefined();
  });
});

describe("a conversation named by the environment", () => {
  const env = { CLAUDE_CODE_SESSION_ID: "claude-1", COPILOT_AGENT_SESSION_ID: "copilot-1" };

  test.each(eras)("applies to a %s client of this name over stdio, in every process", async (era) => {
    const app = createTestApp({ backend: "binary", env });
    const { sessionId } = await app[era]({ client: "claude-code" }).call("thought", { thought: "one" });
    expect(await app[era]({ client: "claude-code" }).call("thought", { thought: "two" })).toEqual({
      sessionId,
      thoughtNumber: 2,
    });
    const copilot = await app[era]({ client: "copilot-cli" }).call("thought", { thought: "three" });
    expect(copilot.sessionId).not.toBe(sessionId);
  });

  test.each(eras)("does not apply to a %s Codex started from the same shell", async (era) => {
    const app = createTestApp({ backend: "binary", env });
    const { sessionId } = await app[era]({ client: "claude-code" }).call("thought", { thought: "one" });
    const codex = await app[era]({ client: "codex-mcp-client" }).call("thought", { thought: "two" });
    expect(codex).toMatchObject({ thoughtNumber: 1, sessionOpened: true });
    expect(codex.sessionId).not.toBe(sessionId);
  });

  test("is replaced by the one that Claude Code reports for its process, after --continue and /clear", async () => {
    const folder = tempDir();
    mkdirSync(join(folder, "sessions"));
    const enter = (sessionId: string) =>
      writeFileSync(
        join(folder, "sessions", `${process.pid}.json`),
        JSON.stringify({ pid: process.pid, sessionId }),
      );
    const app = createTestApp({ backend: "binary", env: { ...env, CLAUDE_CONFIG_DIR: folder } });
    const first = app.modern({ client: "claude-code" });
    enter("before");
    const { sessionId } = await first.call("thought", { thought: "one" });
    enter("cleared");
    const cleared = await first.call("thought", { thought: "another matter" });
    expect(cleared).toMatchObject({ thoughtNumber: 1, sessionOpened: true });
    enter("before");
    const continued = app.modern({ client: "claude-code" });
    expect(await continued.call("thought", { thought: "two" })).toEqual({ sessionId, thoughtNumber: 2 });
    writeFileSync(join(folder, "sessions", `${process.pid}.json`), "{");
    expect((await continued.call("thought", { thought: "three" })).sessionOpened).toBe(true);
  });

  test("yields to the one that a call names", async () => {
    const app = createTestApp({ backend: "binary", env });
    const { sessionId } = await app.modern({ client: "claude-code" }).call("thought", { thought: "one" });
    const named = app.modern(talking("c9", { client: "claude-code" }));
    expect((await named.call("thought", { thought: "two" })).sessionId).not.toBe(sessionId);
  });

  test("is ignored over HTTP", async () => {
    const app = createTestApp({ backend: "http", env });
    const { sessionId } = await app.modern({ client: "claude-code" }).call("thought", { thought: "one" });
    expect(
      (await app.modern({ client: "claude-code" }).call("thought", { thought: "two" })).sessionId,
    ).not.toBe(sessionId);
  });
});

describe.each(ways)("the latest session for a %s client over %s", (era, backend) => {
  test("is shown by reads and load_context without arguments, but not joined while it is in use", async () => {
    const app = createTestApp({ backend });
    const { sessionId } = await app[era](talking("c1")).call("thought", { thought: "running" });
    const other = app[era](talking("c2"));
    expect(await other.call("read_thoughts")).toMatchObject({
      sessionId,
      thoughts: [{ thought: "running" }],
      warnings: [{ code: "LATEST_SESSION", message: expect.stringContaining("by agent") }],
    });
    expect(await other.call("read_thoughts", { sessionId: "latest" })).toMatchObject({ sessionId });
    expect(await other.call("open", { id: "latest" })).toMatchObject({ id: sessionId });
    const loaded = await other.call("load_context");
    expect(loaded).toMatchObject({ sessionId, lastThoughts: [{ thought: "running" }] });
    expect(loaded.warnings).toMatchObject([
      { code: "LATEST_SESSION", message: expect.stringContaining("sessionId to join") },
    ]);
    expect((await other.call("thought", { thought: "mine" })).sessionId).not.toBe(sessionId);
    expect((await other.call("load_context")).sessionId).not.toBe(sessionId);
  });

  test("cannot be written to under the name latest", async () => {
    const app = createTestApp({ backend });
    await app[era](talking("c1")).call("thought", { thought: "one" });
    const error = await app[era](talking("c2")).refusal("thought", { sessionId: "latest", thought: "two" });
    expect(error).toMatchObject({ code: "SESSION_NOT_FOUND", recovery: { operation: "load_context" } });
  });
});

test("the latest session is joined once no one else has written to it for a quarter of an hour", async () => {
  let now = Date.parse("2026-11-16T08:00:00Z");
  const app = createTestApp({ clock: () => new Date(now) });
  const { sessionId } = await app.modern(talking("c1")).call("thought", { thought: "one" });
  now += 15 * 60_000 + 1;
  const other = app.modern(talking("c2"));
  expect(await other.call("load_context")).toMatchObject({ sessionId });
  expect(await other.call("thought", { thought: "two" })).toEqual({ sessionId, thoughtNumber: 2 });
});
