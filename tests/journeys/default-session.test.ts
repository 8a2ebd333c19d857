import { describe, expect, test } from "vitest";
import { executeRecovery, refusalWithCure } from "../support/execute-recovery.ts";
import { createTestApp, doors, lastingDoors, startThinking } from "../support/test-app.ts";

const open = { THOUGHTBOX_DISCLOSURE: "open" };

describe.each(doors)("a thought without a session on %s", (backend) => {
  test("opens one for a legacy connection, which then keeps it", async () => {
    const client = createTestApp({ backend, env: open }).legacy();
    const { sessionId } = await client.call("thought", {
      thought: "one",
      sessionTitle: "T",
      sessionTags: ["x"],
    });
    expect(await client.call("thought", { thought: "two" })).toEqual({ thoughtNumber: 2, sessionId });
    expect(await client.call("get_state")).toMatchObject({ sessionId, session: { title: "T", tags: ["x"] } });
    expect(await client.call("list_sessions")).toMatchObject({ total: 1 });
  });

  test("opens one for a modern caller only under a title", async () => {
    const client = createTestApp({ backend, env: open }).modern();
    expect(await refusalWithCure(client, "thought", { thought: "one" })).toMatchObject({
      code: "SESSION_NOT_FOUND",
      recovery: { operation: "start_new" },
    });
    const titled = { thought: "one", sessionTitle: "T" };
    const { sessionId } = await client.call("thought", titled);
    expect(await client.call("get_state", { sessionId })).toMatchObject({
      session: { title: "T", thoughtCount: 1 },
    });
    expect((await client.call("thought", titled)).sessionId).not.toBe(sessionId);
  });

  test("sent again with its idempotencyKey opens no second one", async () => {
    const client = createTestApp({ backend, env: open }).modern();
    const call = { thought: "one", sessionTitle: "T", idempotencyKey: "k" };
    const first = await client.call("thought", call);
    expect(await client.call("thought", call)).toEqual(first);
    expect(await client.call("list_sessions")).toMatchObject({ total: 1, sessions: [{ thoughtCount: 1 }] });
  });

  test.each([
    { branchFromThought: 4 },
    { branchId: "alt" },
    { branchFromThought: 1, branchId: "alt" },
    { revisesThought: 1 },
    { isRevision: true, revisesThought: 1 },
  ])("that hangs in the air by %o is refused, and leaves no session behind", async (args) => {
    const client = createTestApp({ backend, env: open }).legacy();
    const call = { thought: "x", ...args };
    const error = await client.refusal("thought", call);
    expect(error.code).toBe("THOUGHT_NOT_FOUND");
    expect(await client.call("list_sessions", { project: "*" })).toMatchObject({ total: 0 });
    expect(await executeRecovery(client, call, error)).toMatchObject({ thoughtNumber: 1 });
  });

  test("opens none under autoCreateSession false", async () => {
    const env = { ...open, THOUGHTBOX_AUTO_CREATE_SESSION: "false" };
    const client = createTestApp({ backend, env }).legacy();
    const error = await refusalWithCure(client, "thought", { thought: "x", sessionTitle: "T" });
    expect(error).toMatchObject({ code: "SESSION_NOT_FOUND", recovery: { operation: "start_new" } });
  });

  test("opens none before its stage", async () => {
    const client = createTestApp({ backend }).legacy();
    const error = await client.refusal("thought", { thought: "x", sessionTitle: "T" });
    expect(error.code).toBe("STAGE_REQUIREMENT_NOT_MET");
    expect(await client.call("list_sessions")).toMatchObject({ total: 0 });
  });
});

describe.each(lastingDoors)("reasoningSessionId on %s", (backend) => {
  async function configured() {
    const first = createTestApp({ backend });
    const sessionId = await startThinking(first.modern(), { title: "the operator's" });
    await first.close();
    const env = { THOUGHTBOX_REASONING_SESSION_ID: sessionId };
    return { app: createTestApp({ backend, dataDir: first.dataDir, env }), sessionId };
  }

  test("is the session of modern callers who name none", async () => {
    const { app, sessionId } = await configured();
    const client = app.modern();
    expect(await client.call("get_state")).toMatchObject({ sessionId, stage: 2 });
    expect(await client.call("thought", { thought: "one" })).toEqual({ thoughtNumber: 1, sessionId });
    const other = await startThinking(client);
    expect(await client.call("thought", { sessionId: other, thought: "x" })).toMatchObject({
      sessionId: other,
    });
  });

  test("is the session that a legacy connection is led into", async () => {
    const { app, sessionId } = await configured();
    const client = app.legacy();
    expect(await client.call("get_state")).toMatchObject({ sessionId });
    for (const operation of ["load_context", "cipher"]) {
      const error = await client.refusal("thought", { thought: "x" });
      expect(error.recovery).toMatchObject({ operation, args: { sessionId } });
      await executeRecovery(client, {}, error);
    }
    expect(await client.call("thought", { thought: "x" })).toEqual({ thoughtNumber: 1, sessionId });
    const { sessionId: own } = await client.call("start_new");
    expect(await client.call("get_state")).toMatchObject({ sessionId: own });
  });
});

describe.each(doors)("reasoningSessionId of a session that is gone, on %s", (backend) => {
  test("leads to a new one", async () => {
    const env = { THOUGHTBOX_REASONING_SESSION_ID: "00000000-0000-4000-8000-000000000000" };
    const client = createTestApp({ backend, env }).modern();
    expect(await client.call("get_state")).toMatchObject({ sessionId: null, stage: 0 });
    const error = await refusalWithCure(client, "thought", { thought: "x" });
    expect(error.recovery?.operation).toBe("start_new");
  });
});
