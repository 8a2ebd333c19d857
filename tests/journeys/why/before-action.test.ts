import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readEvents } from "../../events/read-events.ts";
import { at, createRepository, createTranscript, repositoryOf } from "../../support/git/repository.ts";
import { backends, createTestApp, type TestAppOptions } from "../../support/test-app.ts";
import { claudeRoot } from "../../support/transcripts.ts";

const file = "/home/ada/shop/src/pool.ts";
const [writer, worker] = ["a", "b"].map((letter) => `${letter.repeat(8)}-2222-4333-8444-555555555555`);
const pool = Array.from({ length: 14 }, (_, n) => `export const connection${n} = openConnection(${n});`);

/** Starts with session b about to act, `minute` minutes into the timeline. Session a wrote the pool. */
async function start({
  minute = 24 * 60 * 20,
  ...options
}: Partial<TestAppOptions> & { minute?: number } = {}) {
  const app = createTestApp({ backend: "fs", clock: () => new Date(at(minute)), ...options });
  const client = app.modern();
  const transcript = createTranscript(app, writer ?? "");
  transcript.ask("Checkout times out. Find out why and fix it.", 1);
  transcript.think("Fourteen workers need a connection each, because sharing starves them.", 2);
  transcript.use("Write", { file_path: file, content: pool.join("\n") }, { minute: 3 });
  const by = await transcript.import(client);
  let calls = 0;
  const act = async (tool_name: string, input: object, more: object = {}) => {
    calls += 1;
    const { hookSpecificOutput } = await client.call("before_action", {
      client: "claude-code",
      event: "PreToolUse",
      session_id: worker,
      transcript_path: join(claudeRoot(app), `-home-ada-shop/${worker}.jsonl`),
      tool_use_id: `toolu_${calls}`,
      tool_name,
      tool_input: JSON.stringify(input),
      ...more,
    });
    return hookSpecificOutput as Record<string, string> | undefined;
  };
  return { app, client, act, by };
}

const removal = {
  file_path: file,
  old_string: pool.join("\n"),
  new_string: "export const pool = openPool();",
};

describe("an edit that removes another session's lines", () => {
  test("gets one notice with their author, the request and the reason", async () => {
    const { act, by } = await start();
    const said = (await act("Edit", removal))?.["additionalContext"];
    expect(said).toContain(`The call removes 14 lines from ${file} that session ${by.slice(0, 8)}`);
    expect(said).toContain("wrote on 2026-03-02");
    expect(said).toContain('asked: "Checkout times out. Find out why and fix it."');
    expect(said).toContain("sharing starves them");
    expect(said?.length).toBeLessThanOrEqual(1_200);
    expect(await act("Edit", removal)).toBeUndefined();
  });

  test("gets a notice about fewer lines only while that session runs", async () => {
    const few = { ...removal, old_string: pool.slice(0, 4).join("\n") };
    const later = await start();
    expect(await later.act("Edit", few)).toBeUndefined();
    const running = await start({ minute: 5 });
    expect((await running.act("Edit", few))?.["additionalContext"]).toMatch(
      /removes 4 lines .* which is still running, wrote 2 minutes ago/,
    );
  });

  test("gets no notice about its own lines, lines that it keeps, or other text", async () => {
    const { act } = await start();
    const own = { session_id: writer, transcript_path: `/x/${writer}.jsonl` };
    expect(await act("Edit", removal, own)).toBeUndefined();
    const indented = pool.map((line) => `  ${line}`).join("\n");
    expect(await act("Edit", { ...removal, new_string: indented })).toBeUndefined();
    const foreign = pool.map((line) => line.replace("open", "close")).join("\n");
    expect(await act("Edit", { ...removal, old_string: foreign })).toBeUndefined();
  });

  test("is detected in a Codex patch, and when a file is overwritten or deleted", async () => {
    const { app, act } = await start();
    const patch = [
      "*** Begin Patch",
      "*** Update File: src/pool.ts",
      "@@",
      ...pool.map((line) => `-${line}`),
    ];
    const command = [...patch, "*** End Patch"].join("\n");
    const ofCodex = { client: "codex", session_id: "c", transcript_path: `/x/rollout-1-${worker}.jsonl` };
    expect((await act("apply_patch", { command }, ofCodex))?.["additionalContext"]).toContain("14 lines");
    const repository = createRepository(repositoryOf(app));
    repository.write("src/pool.ts", pool.join("\n"));
    const cwd = repository.directory;
    const path = join(cwd, "src/pool.ts");
    const written = await act("Write", { file_path: path, content: "nothing" }, { cwd });
    expect(written?.["additionalContext"]).toContain("14 lines from src/pool.ts");
    const deleted = "*** Begin Patch\n*** Delete File: src/pool.ts\n*** End Patch";
    const other = { ...ofCodex, session_id: "d", transcript_path: "/x/rollout-2-d.jsonl", cwd };
    expect((await act("apply_patch", { command: deleted }, other))?.["additionalContext"]).toContain(
      "14 lines",
    );
  });
});

test.each(backends)(
  "on %s, repeating a command or edit that the user refused shows the user's words",
  async (backend) => {
    const { app, client, act } = await start({ minute: 30, backend });
    const refused = createTranscript(app, "cccccccc-2222-4333-8444-555555555555");
    const content =
      "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nnever push from here";
    refused.ask("Ship it.", 10);
    refused.use("Bash", { command: "git push --force" }, { minute: 18 }, { is_error: true, content });
    const edit = { file_path: file, old_string: "a short line", new_string: "another line" };
    refused.use("Edit", edit, { minute: 19 }, { is_error: true, content });
    await refused.import(client);
    const said = (await act("Bash", { command: "git push --force", description: "Push" }))?.[
      "additionalContext"
    ];
    expect(said).toContain('The user refused this same call 12 minutes ago: "never push from here"');
    expect((await act("Edit", edit))?.["additionalContext"]).toContain("never push from here");
    expect(await act("Bash", { command: "git push" })).toBeUndefined();
  },
);

test("a rule that is recorded for the file is shown, and no other card", async () => {
  const { client, act } = await start();
  await client.call("macro_anchor_note", {
    anchor: "a:pool",
    title: "The pool",
    kind: "component",
    refs: ["src/pool.ts"],
    content: "Never share a connection.",
    card_type: "decision",
    pin: true,
  });
  await client.call("think_card", { card: "type: note\ntitle: Only a note\ntags: a:pool" });
  const said = await act(
    "Edit",
    { file_path: file, old_string: "x", new_string: "y" },
    { cwd: "/home/ada/shop" },
  );
  expect(said?.["additionalContext"]).toContain("A rule is recorded for src/pool.ts");
  expect(said?.["additionalContext"]).toContain("Never share a connection.");
  expect(said?.["additionalContext"]).not.toContain("Only a note");
  expect(
    await act("Edit", { file_path: "/home/ada/shop/b.ts", old_string: "x", new_string: "y" }),
  ).toBeUndefined();
});

describe("stopping a call once", () => {
  const env = { THOUGHTBOX_BEFORE_ACTION: "deny-once" };

  test("is off by default and never happens without a person present", async () => {
    const byDefault = await start();
    expect(await byDefault.act("Edit", removal, { attended: true })).not.toHaveProperty("permissionDecision");
    const headless = await start({ env });
    expect(await headless.act("Edit", removal)).not.toHaveProperty("permissionDecision");
    const off = await start({ env: { THOUGHTBOX_BEFORE_ACTION: "off" } });
    expect(await off.act("Edit", removal, { attended: true })).toBeUndefined();
  });

  test("lets the same call pass the second time", async () => {
    const { act } = await start({ env });
    const denied = await act("Edit", removal, { attended: true });
    expect(denied).toMatchObject({ permissionDecision: "deny" });
    expect(denied?.["permissionDecisionReason"]).toContain("14 lines");
    expect(await act("Edit", removal, { attended: true })).toBeUndefined();
  });
});

test.each(backends)(
  "on %s, every notice becomes an event and an action of the session, with whether the agent continued",
  async (backend) => {
    const { app, client, act } = await start({
      backend,
      env: { THOUGHTBOX_CAPTURE: "on", THOUGHTBOX_EVENT_OUTPUT: "file" },
    });
    const transcript = createTranscript(app, worker ?? "");
    transcript.ask("Make it one pool.", 40);
    const said = (await act("Edit", removal))?.["additionalContext"];
    transcript.use("Edit", removal, { minute: 41, call: "toolu_1" });
    const sessionId = await transcript.import(client);
    const capture = { client: "claude-code", session_id: worker, event: "Stop" };
    await client.call("session_capture", {
      ...capture,
      transcript_path: join(claudeRoot(app), transcript.path),
    });
    const { actions } = await client.call("read_actions", { sessionId, type: "notice" });
    expect(actions).toMatchObject([{ call: "toolu_1", said, wentOn: true }]);
    await app.close();
    const events = readEvents(join(app.dataDir, "events.jsonl"));
    expect(events.filter(({ type }) => type.startsWith("agent_"))).toMatchObject([
      { type: "agent_noticed", sessionId, data: { call: "toolu_1", tool: "Edit", said, denied: false } },
      { type: "agent_went_on", sessionId, data: { call: "toolu_1", wentOn: true } },
    ]);
  },
);

test("hostile input causes no notice and no failure", async () => {
  const { act, app } = await start();
  for (const input of [
    {},
    { file_path: 7 },
    { file_path: "../../../etc/passwd", content: "x" },
    { command: "\0" },
  ])
    for (const tool of ["Edit", "Write", "Bash", "apply_patch", "\u202e", "x".repeat(200)])
      expect(await act(tool, input, { cwd: "/" })).toBeUndefined();
  const repository = createRepository(repositoryOf(app));
  writeFileSync(join(repository.directory, "..", "outside.ts"), pool.join("\n"));
  const outside = { file_path: join(repository.directory, "..", "outside.ts"), content: "x" };
  expect(await act("Write", outside, { cwd: repository.directory })).toBeUndefined();
});
