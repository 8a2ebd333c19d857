import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createTestApp } from "../../support/test-app.ts";
import { claudeLine, claudeRoot, writeLines } from "../../support/transcripts.ts";

const [earlier, current] = ["dddddddd-3333-4333-8444-555555555555", "dddddddd-4444-4333-8444-555555555555"];

/** Starts a Claude Code agent whose conversation is captured while it is running. */
function startClaude() {
  const app = createTestApp({ backend: "fs", env: { THOUGHTBOX_CAPTURE: "on" } });
  const root_dir = claudeRoot(app);
  const cwd = join(app.dataDir, "..", "work");
  mkdirSync(cwd, { recursive: true });
  const agentIn = (id: string) =>
    app.modern({ client: "claude-code", conversation: { id, agent: undefined }, toolUse: "toolu_1" });
  return {
    agentIn,
    /** Returns the person's requests and the agent's replies, in turn. */
    async capture(id: string, ...said: string[]) {
      const lines = said.map((text, at) =>
        at % 2 === 0
          ? claudeLine("user", `m${at}`, at === 0 ? null : `m${at - 1}`, text, { cwd, sessionId: id })
          : claudeLine("assistant", `m${at}`, `m${at - 1}`, [{ type: "text", text }], { cwd, sessionId: id }),
      );
      writeLines(join(root_dir, "-work", `${id}.jsonl`), lines);
      const ref = { path: `-work/${id}.jsonl` };
      const { sessionId } = await agentIn(id).call("transcripts_import", { ref, root_dir });
      return sessionId as string;
    },
  };
}

describe("the latest session of an agent whose own conversation is captured", () => {
  const request = "Load the latest thoughtbox session and continue.";

  test("is the one before its own", async () => {
    const { agentIn, capture } = startClaude();
    const wanted = await capture(earlier, "Why is CI slow?", "The browser tests take 14 of the 19 minutes.");
    await capture(current, request);
    const agent = agentIn(current);
    expect(await agent.call("load_context", { latest: true })).toMatchObject({ sessionId: wanted });
    expect(await agentIn(current).call("load_context", {})).toMatchObject({ sessionId: wanted });
    for (const [operation, args] of [
      ["read_thoughts", { sessionId: "latest" }],
      ["open", { id: "latest" }],
    ] as const)
      expect(JSON.stringify(await agent.call(operation, args))).toContain("14 of the 19 minutes");
  });

  test("is none if the project has no other", async () => {
    const { agentIn, capture } = startClaude();
    await capture(current, request);
    expect(await agentIn(current).refusal("load_context", { latest: true })).toMatchObject({
      code: "SESSION_NOT_FOUND",
    });
  });

  test("is the captured one for every other agent", async () => {
    const { agentIn, capture } = startClaude();
    const wanted = await capture(earlier, "Why is CI slow?");
    expect(await agentIn(current).call("load_context", { latest: true })).toMatchObject({
      sessionId: wanted,
    });
  });
});

describe("what an agent recalls", () => {
  const question = "why does CI take 19 minutes";

  test("leaves out the request that it is working on", async () => {
    const { agentIn, capture } = startClaude();
    await capture(current, "Use thoughtbox to find out why our CI takes 19 minutes.");
    expect(await agentIn(current).call("recall", { question })).toMatchObject({ known: false, sessions: [] });
    expect(await agentIn(earlier).call("recall", { question })).toMatchObject({ known: true });
  });

  test("includes what its own conversation said before that request", async () => {
    const { agentIn, capture } = startClaude();
    const said = ["CI takes 19 minutes, why?", "CI takes 19 minutes because of the browser tests."];
    await capture(current, ...said, "Continue.");
    expect(await agentIn(current).call("recall", { question })).toMatchObject({ known: true });
  });
});
