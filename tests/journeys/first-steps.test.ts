import { describe, expect, test } from "vitest";
import { createTestApp, eras, everyDoor, startThinking, throughGateway } from "../support/test-app.ts";

describe.each(everyDoor)("first steps over %s", (backend) => {
  test.each(eras)(
    "a %s client starts, reads the cipher, thinks, forks, corrects and reads back",
    async (era) => {
      const client = createTestApp({ backend })[era]();
      const sessionId = await startThinking(client, { sessionTitle: "Why do logins time out?" });
      await client.call("thought", { sessionId, thought: "S1|O|Logins time out after noon" });
      await client.call("thought", { sessionId, thought: "S2|H|S1|The pool runs dry" });
      const fork = await client.call("thought", {
        sessionId,
        thought: "Or the proxy?",
        branchFromThought: 1,
        branchId: "proxy",
      });
      const correction = await client.call("thought", {
        sessionId,
        thought: "It is DNS.",
        revisesThought: 2,
      });
      expect(fork).toEqual({ sessionId, thoughtNumber: 2, branchId: "proxy" });
      expect(correction).toEqual({ sessionId, thoughtNumber: 3 });

      const { thoughts } = await client.call("read_thoughts", { sessionId, range: [2, 3] });
      expect(thoughts).toMatchObject([
        { revisedBy: [{ thoughtNumber: 3 }] },
        { revises: { thoughtNumber: 2 } },
      ]);
      const structure = await client.call("get_structure", { sessionId });
      expect(structure).toMatchObject({
        totalThoughts: 4,
        branches: { proxy: { forks: 1, range: [2, 2], length: 1 } },
      });
    },
  );

  test("a legacy client may omit the session because its connection remembers it", async () => {
    const client = createTestApp({ backend }).legacy();
    const { sessionId } = await client.call("start_new", { title: "Legacy" });
    await client.call("cipher");
    expect(await client.call("thought", { thought: "one" })).toEqual({ sessionId, thoughtNumber: 1 });
  });

  test("a session ID resumes the work from another connection", async () => {
    const app = createTestApp({ backend });
    const sessionId = await startThinking(app.modern());
    await app.modern().call("thought", { sessionId, thought: "handed over" });
    const { nextThoughtNumber, lastThoughts } = await app.legacy().call("load_context", { sessionId });
    expect(nextThoughtNumber).toBe(2);
    expect(lastThoughts).toMatchObject([{ thought: "handed over" }]);
  });

  test.each(eras)("two %s clients share neither stage nor session by accident", async (era) => {
    const app = createTestApp({ backend });
    await startThinking(app[era]());
    const other = app[era]();
    expect(await throughGateway(other).refusal("thought", { thought: "whose?" })).toMatchObject({
      code: "STAGE_REQUIREMENT_NOT_MET",
      details: { currentStage: 0, requiredStage: 2 },
    });
    expect(await other.call("get_state")).toMatchObject({ stage: 0, sessionId: null });
  });

  test.each(eras)("a %s client can bind a root as its project", async (era) => {
    const client = createTestApp({ backend })[era]({ can: { roots: true, sampling: false } });
    const answers = { roots: [{ uri: "file:///home/ada/My%20Shop" }] };
    const bound = await client.reply("bind_root", { rootUri: "file:///home/ada/My%20Shop" }, { answers });
    expect(bound).toMatchObject({ kind: "result", result: { project: "My-Shop-b14e767036" } });
  });
});
