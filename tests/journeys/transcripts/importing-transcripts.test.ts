import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { claudeLine, claudePath, claudeRoot, claudeSession, writeLines } from "../../support/transcripts.ts";
import { withTranscripts } from "./with-transcripts.ts";

describe("importing", () => {
  test("a transcript that grew continues its session, and an incomplete last line waits for the rest", async () => {
    const { app, client } = withTranscripts();
    const file = join(claudeRoot(app), claudePath);
    const args = { ref: { path: claudePath }, root_dir: claudeRoot(app) };
    const next = JSON.stringify(
      claudeLine("assistant", "a5", "a4", [{ type: "text", text: "Raised it to 50." }]),
    );
    appendFileSync(file, next.slice(0, 40));
    expect(await client.call("transcripts_import", args)).toMatchObject({
      outcome: "imported",
      skipped: { incomplete: 1 },
    });
    appendFileSync(file, `${next.slice(40)}\n`);
    expect(await client.call("transcripts_import", args)).toMatchObject({ outcome: "continued", added: 1 });
    const { sessionId } = await client.call("transcripts_import", args);
    expect(await client.call("session.get", { sessionId })).toMatchObject({ session: { thoughtCount: 7 } });
  });

  test("a long request becomes a title that ends with a whole word", async () => {
    const { app, client } = withTranscripts();
    const path = "-home-ada-shop/33333333-2222-4333-8444-555555555555.jsonl";
    const asked =
      "Customers who cancel an order within ten minutes wait for days. Refunds should be immediate.";
    writeLines(join(claudeRoot(app), path), [
      claudeLine("user", "u1", null, asked),
      claudeLine("assistant", "a1", "u1", [{ type: "text", text: "I look at the queue." }]),
    ]);
    expect(
      await client.call("transcripts_import", { ref: { path }, root_dir: claudeRoot(app) }),
    ).toMatchObject({
      session: { title: "Customers who cancel an order within ten minutes wait for days. Refunds […]" },
    });
  });

  test("a message that was undone and rewritten is a branch, but tools that ran in parallel are not", async () => {
    const { app, client } = withTranscripts();
    const use = (id: string) => ({ type: "tool_use", id, name: "Read", input: { file_path: `/${id}` } });
    const result = (id: string) => [{ type: "tool_result", tool_use_id: id, content: "ok" }];
    const message = { message: { role: "assistant", id: "msg-p", content: [] } };
    const path = "-home-ada-shop/22222222-2222-4333-8444-555555555555.jsonl";
    writeLines(join(claudeRoot(app), path), [
      ...claudeSession(),
      claudeLine("assistant", "p1", "a4", [], { message: { ...message.message, content: [use("x")] } }),
      claudeLine("assistant", "p2", "p1", [], { message: { ...message.message, content: [use("y")] } }),
      claudeLine("user", "q1", "p1", result("x")),
      claudeLine("user", "q2", "p2", result("y")),
      claudeLine("assistant", "a6", "q2", [{ type: "text", text: "Both are fine." }]),
      claudeLine("user", "u3", "a4", "What about the proxy?"),
      claudeLine("assistant", "a7", "u3", [{ type: "text", text: "The proxy is fine." }]),
    ]);
    const imported = await client.call("transcripts_import", { ref: { path }, root_dir: claudeRoot(app) });
    expect(imported).toMatchObject({ branches: 1, sub_agents: 0, added: 9 });
    const { sessionId } = imported;
    await client.call("load_context", { sessionId });
    await client.call("cipher", { sessionId });
    const { thoughts } = await client.call("read_thoughts", { sessionId, branchId: "fork-1", last: 5 });
    expect(thoughts).toMatchObject([
      { thought: "What about the proxy?", thoughtNumber: 7, branchFromThought: 6 },
      { thought: "The proxy is fine.", thoughtNumber: 8 },
    ]);
  });

  test("a sub-agent that its parent's file repeats becomes one branch, not two", async () => {
    const { app, client } = withTranscripts();
    const frame = (line: object, agentId: string) => ({
      type: "progress",
      uuid: `frame-${agentId}`,
      data: { type: "agent_progress", agentId, message: line },
    });
    const asked = (agent: string) => claudeLine("user", `${agent}1`, null, "Count the workers.");
    const answered = (agent: string) =>
      claudeLine("assistant", `${agent}2`, `${agent}1`, [{ type: "text", text: "There are 40." }]);
    appendFileSync(
      join(claudeRoot(app), claudePath),
      ["a1b2", "c3d4"]
        .flatMap((agent) => [frame(asked(agent), agent), frame(answered(agent), agent)])
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(""),
    );
    const own = { isSidechain: true, agentId: "a1b2" };
    writeLines(join(claudeRoot(app), claudePath.replace(".jsonl", ""), "subagents", "agent-a1b2.jsonl"), [
      { ...asked("a1b2"), ...own },
      { ...answered("a1b2"), ...own },
    ]);
    const args = { ref: { path: claudePath }, root_dir: claudeRoot(app) };
    expect(await client.call("transcripts_import", args)).toMatchObject({
      branches: 2,
      sub_agents: 2,
      added: 10,
    });
    expect(await client.call("transcripts_import", args)).toMatchObject({ outcome: "unchanged" });
  });

  test("sub-agents become branches, whether in the same file or in separate files", async () => {
    const { app, client } = withTranscripts();
    const side = { isSidechain: true };
    appendFileSync(
      join(claudeRoot(app), claudePath),
      [
        claudeLine("user", "s1", null, "Count the workers.", side),
        claudeLine("assistant", "s2", "s1", [{ type: "text", text: "There are 40." }], side),
      ]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(""),
    );
    const own = { ...side, agentId: "a1b2" };
    const folder = claudePath.replace(".jsonl", "");
    writeLines(join(claudeRoot(app), folder, "subagents", "agent-a1b2.jsonl"), [
      claudeLine("user", "z1", null, "Read the config.", own),
      claudeLine("assistant", "z2", "z1", [{ type: "text", text: "It says 10." }], own),
    ]);
    const args = { ref: { path: claudePath }, root_dir: claudeRoot(app) };
    const imported = await client.call("transcripts_import", args);
    expect(imported).toMatchObject({ branches: 2, sub_agents: 2, added: 10 });
    expect(await client.call("transcripts_import", args)).toMatchObject({ outcome: "unchanged" });
    const { sessionId } = imported;
    expect(await client.call("session.verify", { sessionId })).toMatchObject({ valid: true });
    await client.call("load_context", { sessionId });
    await client.call("cipher", { sessionId });
    const { thoughts } = await client.call("read_thoughts", { sessionId, branchId: "agent-a1b2", last: 5 });
    expect(thoughts.map(({ thought }: { thought: string }) => thought)).toEqual([
      "Read the config.",
      "It says 10.",
    ]);
  });

  test("a session that begins with an image of several megabytes is imported with its title and project", async () => {
    const { app, client } = withTranscripts();
    const path = "-home-ada-shop/55555555-2222-4333-8444-555555555555.jsonl";
    const source = { type: "base64", media_type: "image/png", data: "iVBO".repeat(750_000) };
    writeLines(join(claudeRoot(app), path), [
      claudeLine("user", "i1", null, [
        { type: "image", source },
        { type: "text", text: "What is this?" },
      ]),
      claudeLine("assistant", "i2", "i1", [{ type: "text", text: "A chart of the pool." }]),
    ]);
    const where = { ref: { path }, root_dir: claudeRoot(app) };
    expect(await client.call("transcripts_import", where)).toMatchObject({
      outcome: "imported",
      added: 2,
      session: { title: "What is this?" },
      project: { name: "shop", confidence: "high" },
    });
  });

  test("the next import continues a cancelled one and gives the same result", async () => {
    const { app, client } = withTranscripts();
    const path = "-home-ada-shop/66666666-2222-4333-8444-555555555555.jsonl";
    writeLines(
      join(claudeRoot(app), path),
      Array.from({ length: 2_600 }, (_, n) =>
        claudeLine("assistant", `n${n}`, n === 0 ? null : `n${n - 1}`, [{ type: "text", text: `Step ${n}` }]),
      ),
    );
    const args = { ref: { path }, root_dir: claudeRoot(app) };
    const stop = new AbortController();
    const cancelled = client.reply("transcripts_import", args, { signal: stop.signal }).catch(() => {});
    while ((await client.call("session.list")).sessions.length === 0) await nextTurn();
    stop.abort();
    await cancelled;
    const { sessionId, outcome } = await client.call("transcripts_import", args);
    expect(["continued", "unchanged"]).toContain(outcome);
    const { app: other, client: undisturbed } = withTranscripts();
    writeLines(
      join(claudeRoot(other), path),
      readFileSync(join(claudeRoot(app), path), "utf8")
        .trimEnd()
        .split("\n"),
    );
    const whole = await undisturbed.call("transcripts_import", { ...args, root_dir: claudeRoot(other) });
    expect(whole.sessionId).toBe(sessionId);
    const { chain } = await undisturbed.call("session.verify", { sessionId });
    expect(chain).toMatchObject({ valid: true, length: 2_600 });
    expect(await client.call("session.verify", { sessionId })).toMatchObject({ valid: true, chain });
  });

  test("include: thinking leaves out messages, and a dry run stores nothing", async () => {
    const { app, client } = withTranscripts();
    const args = { ref: { path: claudePath }, root_dir: claudeRoot(app), include: "thinking" };
    const tried = await client.call("transcripts_import", { ...args, dry_run: true });
    expect(tried).toMatchObject({ dry_run: true, added: 3, observations: 1, corrections: 1 });
    expect((await client.call("session.list")).sessions).toEqual([]);
    expect(await client.call("transcripts_import", args)).toMatchObject({ added: 3 });
  });

  test("an agent's own thought is stored on a separate branch, and the transcript continues", async () => {
    const { app, client } = withTranscripts();
    const args = { ref: { path: claudePath }, root_dir: claudeRoot(app) };
    const { sessionId } = await client.call("transcripts_import", args);
    await client.call("load_context", { sessionId });
    await client.call("cipher", { sessionId });
    const own = await client.call("thought", { sessionId, thought: "My own conclusion." });
    expect(own).toMatchObject({ branchId: "own", thoughtNumber: 7 });
    appendFileSync(
      join(claudeRoot(app), claudePath),
      `${JSON.stringify(claudeLine("assistant", "a9", "a4", [{ type: "text", text: "Done." }]))}\n`,
    );
    expect(await client.call("transcripts_import", args)).toMatchObject({ outcome: "continued", added: 1 });
    const { thoughts } = await client.call("read_thoughts", { sessionId, branchId: "own" });
    expect(thoughts).toMatchObject([{ thought: "My own conclusion." }]);
  });

  test("a recorded run of a cell is stored on that branch too, and the transcript continues", async () => {
    const { app, client } = withTranscripts();
    const args = { ref: { path: claudePath }, root_dir: claudeRoot(app) };
    const { sessionId } = await client.call("transcripts_import", args);
    const { notebookId } = await client.call("notebook.create", { sessionId, name: "Cents" });
    const cell = { sessionId, notebookId, type: "code", filename: "cents.js", content: "100 / 3" };
    const { cellId } = await client.call("notebook.add_cell", cell);
    const record = (...references: number[]) =>
      client.call("notebook.run_cell", {
        ...{ sessionId, notebookId, cellId },
        recordAs: { sessionId, type: "E", references },
      });
    const recorded = { sessionId, branchId: "own" };
    expect((await record(1)).recorded).toEqual({ ...recorded, thoughtNumber: 7 });
    expect((await record(7)).recorded).toEqual({ ...recorded, thoughtNumber: 8 });
    appendFileSync(
      join(claudeRoot(app), claudePath),
      `${JSON.stringify(claudeLine("assistant", "a9", "a4", [{ type: "text", text: "Done." }]))}\n`,
    );
    expect(await client.call("transcripts_import", args)).toMatchObject({ outcome: "continued", added: 1 });
    const { thoughts } = await client.call("read_thoughts", { sessionId, branchId: "own" });
    expect(thoughts.map(({ thought }: any) => thought.slice(0, 7))).toEqual(["S7|E|S1", "S8|E|S7"]);
  });

  test("a cancelled import stores nothing", async () => {
    const { app, client } = withTranscripts();
    const stop = new AbortController();
    const call = { signal: stop.signal, progress: () => stop.abort() };
    const args = { ref: { path: claudePath }, root_dir: claudeRoot(app) };
    // A cancelled call may get no answer.
    const answered = await client.reply("transcripts_import", args, call).catch(() => undefined);
    expect(stop.signal.aborted).toBe(true);
    expect(answered).toBeUndefined();
    expect((await client.call("session.list")).sessions).toEqual([]);
  });
});
