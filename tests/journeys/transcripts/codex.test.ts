import { join } from "node:path";
import { expect, test } from "vitest";
import { createTestApp, type TestClient } from "../../support/test-app.ts";
import { codexRoot, writeLines } from "../../support/transcripts.ts";

const folder = "2026/03/02";
const minute = (count: number): string => new Date(Date.UTC(2026, 2, 2, 10, count)).toISOString();
const frame = (count: number, type: string, payload: object) => ({
  timestamp: minute(count),
  type,
  payload,
});
const message = (role: string, text: string) => ({
  type: "message",
  role,
  content: [{ type: role === "user" ? "input_text" : "output_text", text }],
});
const said = (count: number, role: string, text: string) =>
  frame(count, "response_item", message(role, text));
const meta = (id: string, more: object = {}) =>
  frame(0, "session_meta", { id, timestamp: minute(0), cwd: "/home/ada/shop", ...more });

async function textsOf(client: TestClient, sessionId: string, branchId?: string): Promise<string[]> {
  await client.call("load_context", { sessionId });
  await client.call("cipher", { sessionId });
  const { thoughts } = await client.call("read_thoughts", {
    sessionId,
    last: 20,
    ...(branchId !== undefined && { branchId }),
  });
  return thoughts.map(({ thought }: { thought: string }) => thought);
}

test("turns that were rolled back stay, and what replaces them becomes a branch", async () => {
  const app = createTestApp();
  const client = app.modern();
  const path = `${folder}/rollout-a.jsonl`;
  writeLines(join(codexRoot(app), path), [
    meta("0190-a"),
    said(1, "user", "Why is it slow?"),
    said(2, "assistant", "The pool is small."),
    said(3, "user", "Try the cache."),
    said(4, "assistant", "The cache is cold."),
    frame(5, "event_msg", { type: "thread_rolled_back", num_turns: 1 }),
    frame(5, "event_msg", { type: "thread_rolled_back", num_turns: "many" }),
    said(6, "user", "Try the proxy."),
    said(7, "assistant", "The proxy buffers."),
  ]);
  const imported = await client.call("transcripts_import", { ref: { path } });
  expect(imported).toMatchObject({
    ...{ outcome: "imported", added: 6, branches: 1, sub_agents: 0 },
    skipped: { session_meta: 1, event_msg: 1 },
  });
  const { sessionId } = imported;
  expect(await textsOf(client, sessionId)).toEqual([
    "Why is it slow?",
    "The pool is small.",
    "Try the cache.",
    "The cache is cold.",
  ]);
  expect(await textsOf(client, sessionId, "fork-1")).toEqual(["Try the proxy.", "The proxy buffers."]);
  expect((await client.call("get_structure", { sessionId })).branches).toMatchObject({
    "fork-1": { forks: 2 },
  });
});

test("rolling back more turns than exist creates no branch", async () => {
  const app = createTestApp();
  const client = app.modern();
  const path = `${folder}/rollout-b.jsonl`;
  writeLines(join(codexRoot(app), path), [
    meta("0190-b"),
    said(1, "user", "One."),
    frame(2, "event_msg", { type: "thread_rolled_back", num_turns: 99 }),
    said(3, "user", "Two."),
  ]);
  const { sessionId, branches } = await client.call("transcripts_import", { ref: { path } });
  expect(branches).toBe(0);
  expect(await textsOf(client, sessionId)).toEqual(["One.", "Two."]);
});

test("a sub-agent becomes a branch of the session that started it, and unrelated sessions do not", async () => {
  const app = createTestApp();
  const client = app.modern();
  const root = codexRoot(app);
  const path = `${folder}/rollout-c.jsonl`;
  const spawned = (parent: string) => ({
    source: { subagent: { thread_spawn: { parent_thread_id: parent, depth: 1 } } },
  });
  writeLines(join(root, path), [
    meta("0190-c"),
    said(1, "user", "Look at both."),
    said(5, "assistant", "Both are fine."),
  ]);
  writeLines(join(root, `${folder}/rollout-d-agent.jsonl`), [
    frame(2, "session_meta", { id: "0190-d", timestamp: minute(2), ...spawned("0190-c") }),
    said(3, "user", "Look at the proxy."),
    said(4, "assistant", "The proxy is fine."),
  ]);
  writeLines(join(root, `${folder}/rollout-e-other.jsonl`), [
    frame(2, "session_meta", { id: "0190-e", timestamp: minute(2), ...spawned("0190-zzz") }),
    said(3, "assistant", "Somebody else's."),
  ]);
  const imported = await client.call("transcripts_import", { ref: { path } });
  expect(imported).toMatchObject({ added: 4, branches: 1, sub_agents: 1 });
  const { sessionId } = imported;
  const structure = await client.call("get_structure", { sessionId });
  const [branchId = ""] = Object.keys(structure.branches);
  expect(branchId).toMatch(/^agent-/);
  expect(await textsOf(client, sessionId, branchId)).toEqual(["Look at the proxy.", "The proxy is fine."]);
  expect(await client.call("session.verify", { sessionId })).toMatchObject({ valid: true });
  expect(await client.call("transcripts_import", { ref: { path } })).toMatchObject({ outcome: "unchanged" });
});

test("the oldest format, which has no frames, can be read, and unknown records are counted by kind", async () => {
  const app = createTestApp();
  const client = app.modern();
  const path = `${folder}/rollout-old.jsonl`;
  writeLines(join(codexRoot(app), path), [
    {
      id: "0180-old",
      timestamp: minute(0),
      instructions: "AGENTS.md instructions for /home/ada/shop\n…",
      git: {},
    },
    { record_type: "state" },
    message("user", "Why is it slow?"),
    { type: "reasoning", summary: [{ type: "summary_text", text: "Perhaps the pool." }] },
    { type: "function_call", name: "shell", arguments: '{"command":["ls","-l"]}', call_id: "c" },
    {
      type: "function_call_output",
      call_id: "c",
      output: '{"output":"no such file","metadata":{"exit_code":2}}',
    },
    { type: "from_the_future", text: "?" },
    { type: "message", role: "nobody", content: [] },
    message("assistant", "The pool is small."),
  ]);
  const imported = await client.call("transcripts_import", { ref: { path } });
  expect(imported).toMatchObject({
    ...{ outcome: "imported", observations: 1, transcript: { format: "codex" } },
    project: { name: "shop", confidence: "medium" },
    skipped: { session_meta: 1, record: 1, from_the_future: 1, message: 1 },
  });
  expect(await textsOf(client, imported.sessionId)).toEqual([
    "Why is it slow?",
    "Perhaps the pool.",
    "S3|O|S2|`ls -l` failed.\n> no such file",
    "The pool is small.",
  ]);
});
