import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../../support/cli.ts";
import { createTestApp } from "../../support/test-app.ts";
import { claudeLine, claudeRoot, writeLines } from "../../support/transcripts.ts";

const conversation = "dddddddd-2222-4333-8444-555555555555";

/** Claude Code records a thought with our tool, and writes the call and its result to its transcript. */
async function recordAndCapture(project?: string) {
  const app = createTestApp({ backend: "fs", env: { THOUGHTBOX_CAPTURE: "on" } });
  const { dataDir } = app;
  const cwd = join(dataDir, "..", "work");
  mkdirSync(cwd, { recursive: true });
  const client = app.modern({
    client: "claude-code",
    conversation: { id: conversation, agent: undefined },
    toolUse: "toolu_1",
  });
  const { sessionId } =
    project === undefined ? {} : await client.call("start_new", { sessionTitle: "Pools", project });
  const answer = await client.call("thought", {
    thought: "S1|H|The pool is too small",
    ...(sessionId !== undefined && { sessionId }),
  });
  const more = { cwd, sessionId: conversation };
  const call = (id: string, name: string, input: object) => [{ type: "tool_use", id, name, input }];
  const result = (id: string, content: string) => [{ type: "tool_result", tool_use_id: id, content }];
  writeLines(join(claudeRoot({ dataDir }), "-work", `${conversation}.jsonl`), [
    claudeLine("user", "u1", null, "Why does checkout time out?", more),
    claudeLine("assistant", "a1", "u1", [{ type: "thinking", thinking: "Let me note it." }], more),
    claudeLine("assistant", "a2", "a1", call("toolu_1", "mcp__thoughtbox__thought", {}), more),
    claudeLine("user", "r1", "a2", result("toolu_1", JSON.stringify(answer)), more),
    claudeLine("assistant", "a3", "r1", [{ type: "text", text: "I look at the pool next." }], more),
  ]);
  const root_dir = claudeRoot({ dataDir });
  const { sessionId: captured } = await client.call("transcripts_import", {
    ref: { path: `-work/${conversation}.jsonl` },
    root_dir,
  });
  return { client, dataDir, recorded: answer["sessionId"], captured };
}

test("a thought that the agent recorded appears once in the captured session, at its tool-use ID", async () => {
  const { client, recorded, captured } = await recordAndCapture();
  const { actions } = await client.call("read_actions", { sessionId: captured });
  expect(actions).toMatchObject([
    {
      type: "record",
      call: "toolu_1",
      after: { thoughtNumber: 2 },
      recorded: { sessionId: recorded, thoughtNumber: 1, thought: "S1|H|The pool is too small" },
    },
  ]);
  const resumed = await client.call("load_context", { sessionId: captured });
  expect(resumed["recorded"]).toMatchObject([
    { call: "toolu_1", thought: "S1|H|The pool is too small", after: { thoughtNumber: 2 } },
  ]);
  const thoughts = JSON.stringify(resumed["lastThoughts"]);
  expect(thoughts).toContain("I look at the pool next.");
  expect(thoughts).not.toContain("too small");
});

test("the recorded session names the captured one, and both keep their own chains", async () => {
  const { client, recorded, captured } = await recordAndCapture();
  expect(await client.call("load_context", { sessionId: recorded })).toMatchObject({ transcript: captured });
  for (const sessionId of [recorded, captured])
    expect(await client.call("session.verify", { sessionId })).toMatchObject({ valid: true });
});

type Hit = { id?: string; snippet: string };

test("search and show present the recorded thought once", async () => {
  const { client, dataDir, recorded, captured } = await recordAndCapture();
  const { hits } = await client.call("session_search", { query: "pool too small" });
  const found = hits.filter(({ id, snippet }: Hit) => id !== undefined && snippet.includes("«small»"));
  expect(found).toHaveLength(1);
  const { out } = await runCommand(`thoughtbox show ${captured}`, { dataDir });
  expect(out.match(/The pool is too small/g)).toHaveLength(1);
  expect(out).toContain(`● recorded thought 1 of session ${recorded.slice(0, 8)}`);
});

test("a transcript cannot quote a thought of another project", async () => {
  const { client, captured } = await recordAndCapture("elsewhere");
  const { actions } = await client.call("read_actions", { sessionId: captured });
  expect(actions).toMatchObject([{ type: "record", recorded: { thoughtNumber: 1 } }]);
  expect(JSON.stringify(actions)).not.toContain("too small");
});

test("a forked session names its origin and shares its earlier calls", async () => {
  const app = createTestApp({ backend: "fs", env: { THOUGHTBOX_CAPTURE: "on" } });
  const client = app.modern();
  const root_dir = claudeRoot(app);
  const [origin, fork] = ["eeeeeeee-1111-4333-8444-555555555555", "eeeeeeee-2222-4333-8444-555555555555"];
  const call = [{ type: "tool_use", id: "t1", name: "Bash", input: { command: "npm test" } }];
  const result = [{ type: "tool_result", tool_use_id: "t1", content: "ok" }];
  const past = (more: object) => [
    claudeLine("user", "u1", null, "Why does checkout time out?", more),
    claudeLine("assistant", "a1", "u1", call, more),
    claudeLine("user", "r1", "a1", result, more),
  ];
  writeLines(join(root_dir, "-w", `${origin}.jsonl`), past({ sessionId: origin }));
  writeLines(join(root_dir, "-w", `${fork}.jsonl`), [
    ...past({ sessionId: fork, forkedFrom: { sessionId: origin, messageUuid: "u1" } }),
    claudeLine("assistant", "a2", "r1", [{ type: "text", text: "Another way." }], { sessionId: fork }),
  ]);
  const [first, second] = [
    await client.call("transcripts_import", { ref: { path: `-w/${origin}.jsonl` }, root_dir }),
    await client.call("transcripts_import", { ref: { path: `-w/${fork}.jsonl` }, root_dir }),
  ];
  const read = await client.call("read_actions", { sessionId: second.sessionId });
  expect(read).toMatchObject({
    actions: [{ type: "fork", origin: first.sessionId }, { type: "command" }],
    sharedWith: [first.sessionId],
  });
});
