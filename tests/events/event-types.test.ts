import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ledgerEventTypes } from "../../src/ports/event-types.ts";
import { backends, createTestApp, startThinking } from "../support/test-app.ts";
import { ofType, readEvents, readMemoryEvents } from "./read-events.ts";

const toFile = { THOUGHTBOX_EVENT_OUTPUT: "file" };

describe.each(backends)("events of a whole session on %s", (backend) => {
  async function journey() {
    const app = createTestApp({ backend, env: toFile });
    const client = app.modern();
    const sessionId = await startThinking(client, { sessionTitle: "Why?", tags: ["auth"], project: "shop" });
    const think = (args: object) => client.call("thought", { sessionId, ...args });
    await think({ thought: "x".repeat(500), totalThoughts: 9 });
    await think({ thought: "Or the proxy?", branchFromThought: 1, branchId: "proxy" });
    await think({ thought: "It is DNS.", revisesThought: 1 });
    await client.call("load_context", { sessionId });
    await client.call("session.export", { sessionId, destination: "review" });
    await think({ thought: "Done.", nextThoughtNeeded: false });
    await app.close();
    return { sessionId, events: readEvents(join(app.dataDir, "events.jsonl")) };
  }

  test("contain every documented type, and each line has exactly four fields", async () => {
    const { sessionId, events } = await journey();
    // Events about messages to agents belong to the sessions of other programs. before-action.test.ts covers
    // them.
    const ofSession = ledgerEventTypes.filter((type) => !type.startsWith("agent_"));
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(ofSession));
    for (const event of events) {
      expect(Object.keys(event)).toEqual(["type", "timestamp", "sessionId", "data"]);
      expect(event.sessionId).toBe(sessionId);
      expect(new Date(event.timestamp).toISOString()).toBe(event.timestamp);
    }
  });

  test("have the data that the contract names", async () => {
    const { sessionId, events } = await journey();
    const dataOf = (type: (typeof ledgerEventTypes)[number]) => ofType(events, type).map(({ data }) => data);
    expect(dataOf("session_started")).toMatchObject([{ title: "Why?", project: "shop" }]);
    expect(dataOf("session_started")[0]).toHaveProperty("tags", expect.arrayContaining(["auth"]));
    expect(dataOf("stage_changed").slice(0, 2)).toEqual([
      { previousStage: 0, newStage: 1 },
      { previousStage: 1, newStage: 2 },
    ]);
    expect(dataOf("cipher_loaded")).toEqual([{}]);
    expect(dataOf("thought_added")[0]).toEqual({
      id: `${sessionId}:1`,
      thoughtNumber: 1,
      totalThoughts: 9,
      nextThoughtNeeded: true,
      thought: "x".repeat(200),
    });
    const fork = { id: `${sessionId}:proxy:2`, branchId: "proxy", branchFromThought: 1, thoughtNumber: 2 };
    expect(dataOf("thought_added")[1]).toMatchObject(fork);
    expect(dataOf("branch_created")).toMatchObject([fork]);
    expect(dataOf("thought_revised")).toMatchObject([{ thought: "It is DNS.", revisesThought: 1 }]);
    expect(dataOf("session_loaded")).toEqual([{ title: "Why?", thoughtCount: 3 }]);
    expect(dataOf("session_exported")[0]).toMatchObject({
      format: "json",
      path: expect.stringContaining("review"),
    });
    expect(dataOf("session_completed")).toEqual([{ thoughtNumber: 3, thoughtCount: 4 }]);
  });

  test("are limited to the chosen types", async () => {
    const env = { ...toFile, THOUGHTBOX_EVENT_TYPES: "session_started, cipher_loaded" };
    const app = createTestApp({ backend, env });
    const client = app.modern();
    const sessionId = await startThinking(client);
    await client.call("thought", { sessionId, thought: "not for everybody" });
    await app.close();
    const events = readEvents(join(app.dataDir, "events.jsonl"));
    expect(events.map(({ type }) => type)).toEqual(["session_started", "cipher_loaded"]);
  });

  test("contain no secrets from titles, tags and thoughts", async () => {
    const key = `ghp_${"a1B2c3".repeat(6)}`;
    const app = createTestApp({ backend, env: toFile });
    const client = app.modern();
    const sessionId = await startThinking(client, { sessionTitle: `Rotate ${key}`, tags: [key] });
    await client.call("thought", { sessionId, thought: `The key is ${key}` });
    await app.close();
    const written = JSON.stringify(readEvents(join(app.dataDir, "events.jsonl")));
    expect(written).not.toContain(key);
    expect(written.match(/\[secret:github-token\]/g)).toHaveLength(3);
  });
});

test("no events are written without an output", async () => {
  const app = createTestApp({ backend: "memory" });
  await startThinking(app.modern());
  await app.close();
  expect(() => readEvents(join(app.dataDir, "events.jsonl"))).toThrow("ENOENT");
});

test("a repeated thought causes no second event, not even for the export of its session", async () => {
  const app = createTestApp({ backend: "fs", env: toFile });
  const client = app.modern();
  const sessionId = await startThinking(client);
  const end = { sessionId, thought: "Done.", nextThoughtNeeded: false, idempotencyKey: "end" };
  await client.call("thought", end);
  await client.call("thought", end);
  await app.close();
  const events = readEvents(join(app.dataDir, "events.jsonl"));
  for (const type of ["thought_added", "session_completed", "session_exported"] as const)
    expect(ofType(events, type), type).toHaveLength(1);
});

test("writes to the memory are announced once, with their workspace and without their text", async () => {
  const app = createTestApp({ backend: "fs", env: toFile });
  const client = app.modern();
  const call = { workspace: "acme/repo", content: "do not tell", idempotencyKey: "once" };
  await client.call("notes_commit", call);
  await client.call("notes_commit", call);
  await client.call("graph_apply", {
    workspace: "acme/repo",
    ops: [{ op: "node_upsert", id: "a", type: "fact", title: "do not tell" }],
  });
  await app.close();
  const events = readMemoryEvents(join(app.dataDir, "events.jsonl"));
  expect(events.map(({ type }) => type)).toEqual(["workspace_created", "note_committed", "graph_applied"]);
  for (const event of events) {
    expect(Object.keys(event)).toEqual(["type", "timestamp", "workspace", "data"]);
    expect(event.workspace).toBe("acme/repo");
  }
  expect(JSON.stringify(events)).not.toContain("do not tell");
});
