import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ServerProcess, spawnServer } from "../../support/server-process.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { claudeLine, claudeRoot, clientHomes, writeLines } from "../../support/transcripts.ts";
import { openObservatory } from "./observatory.testing.ts";

const id = "aaaaaaaa-2222-4333-8444-555555555555";

/** Captures a session whose agent recorded one thought earlier, and has written to its transcript since. */
async function captureOne() {
  const base = tempDir();
  const dataDir = join(base, "data");
  const cwd = join(base, "shop");
  mkdirSync(join(cwd, ".git"), { recursive: true });
  const file = join(claudeRoot({ dataDir }), "-shop", `${id}.jsonl`);
  const long = new Date(Date.now() - 20 * 60_000);
  const line = (n: number, content: unknown[]) =>
    claudeLine("assistant", `a${n}`, n === 1 ? null : `a${n - 1}`, content, {
      ...{ cwd, sessionId: id, timestamp: long.toISOString() },
    });
  const bash = { type: "tool_use", id: "t1", name: "Bash", input: { command: "npm test" } };
  writeLines(file, [line(1, [{ type: "text", text: "I run the tests." }]), line(2, [bash])]);
  const env = { THOUGHTBOX_CAPTURE: "on", ...clientHomes(dataDir) };
  const open = await openObservatory({ dataDir, env });
  return { ...open, file, base };
}

test("a session whose transcript grows shows activity between its thoughts", async () => {
  const { app, json, file } = await captureOne();
  const now = new Date(Math.floor(Date.now() / 1_000) * 1_000);
  utimesSync(file, now, now);
  await app.capture.catchUp();
  const { sessions } = await json("/api/sessions");
  expect(sessions[0]).toMatchObject({ status: "active", signAt: now.toISOString() });
});

test.each([
  ["lost its client", (server: ServerProcess) => void server.child.stdin.end()],
  ["was killed", (server: ServerProcess) => void server.child.kill("SIGKILL")],
])(
  "a session whose process %s shows that its agent has left, until another agent continues",
  async (_, end) => {
    const { json, dataDir, look } = await openObservatory();
    const think = async (sessionId?: string) => {
      const server = spawnServer(dataDir);
      await server.initialize();
      const opening = sessionId ? "load_context" : "start_new";
      await server.gateway({ operation: opening, args: { ...(sessionId && { sessionId }) } });
      await server.gateway({ operation: "cipher", args: {} });
      const args = { thought: "The pool is empty.", nextThoughtNeeded: true };
      expect(await server.gateway({ operation: "thought", args })).toMatchObject({
        thoughtNumber: expect.any(Number),
      });
      return server;
    };
    const read = async () => (await json("/api/sessions")).sessions;

    const first = await think();
    const [{ id: sessionId, updatedAt, leftAt }] = await read();
    expect(leftAt).toBeUndefined();
    const viewer = await look();
    viewer.say({ action: "subscribe", channel: "sessions" });
    await viewer.event("sessions:snapshot");
    end(first);
    await first.exited;
    await viewer.until(() =>
      viewer.messages.some((one) => one.event === "session:updated" && one.data.session.leftAt !== undefined),
    );
    await expect.poll(read).toMatchObject([{ status: "active", leftAt: expect.any(String) }]);
    const [left] = await read();
    expect(Date.parse(left.leftAt)).toBeGreaterThanOrEqual(Date.parse(updatedAt));

    await think(sessionId);
    await expect.poll(async () => (await read())[0].leftAt).toBeUndefined();
  },
);

test("a captured session shows that its agent has left when the server of its conversation ends", async () => {
  const { app, json, dataDir, file } = await captureOne();
  const server = spawnServer(dataDir, { CLAUDE_CODE_SESSION_ID: id });
  await server.initialize("claude-code");
  await server.gateway({ operation: "list_sessions", args: {} });
  const now = new Date();
  utimesSync(file, now, now);
  await app.capture.catchUp();
  const read = async () => (await json("/api/sessions")).sessions;
  expect((await read())[0].leftAt).toBeUndefined();
  server.child.stdin.end();
  await server.exited;
  await expect.poll(read).toMatchObject([{ status: "active", leftAt: expect.any(String) }]);
});

test("home shows which transcripts are captured, which are left out, and whether capture is paused", async () => {
  const { app, json, base } = await captureOne();
  const apart = join(base, "apart");
  mkdirSync(apart);
  writeFileSync(join(apart, ".thoughtboxignore"), "");
  const other = id.replace("aaaaaaaa", "bbbbbbbb");
  writeLines(join(claudeRoot({ dataDir: join(base, "data") }), "-apart", `${other}.jsonl`), [
    claudeLine("user", "u1", null, "Look into it.", { cwd: apart, sessionId: other }),
  ]);
  await app.capture.catchUp();
  const home = `/api/home?since=${encodeURIComponent(new Date(0).toISOString())}`;
  const { transcripts } = await json(home);
  expect(transcripts).toMatchObject({ state: "on", total: 2 });
  expect(transcripts.files).toContainEqual({
    at: expect.any(String),
    sessionId: expect.any(String),
    project: "shop",
    client: "Claude Code",
  });
  expect(transcripts.files).toContainEqual({
    at: expect.any(String),
    problem: expect.stringContaining(".thoughtboxignore excludes it"),
  });
  app.capture.pause();
  expect((await json(`${home}&project=shop`)).transcripts).toMatchObject({
    state: "paused",
    total: 1,
    files: [{ project: "shop" }],
  });
});
