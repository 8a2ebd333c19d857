import { describe, expect, test } from "vitest";
import { executeRecovery, refusalWithCure } from "../../support/replies/execute-recovery.ts";
import {
  createTestApp,
  doors,
  eras,
  lastingDoors,
  startThinking,
  throughGateway,
} from "../../support/test-app.ts";

describe.each(doors)("a thought without a session on %s", (backend) => {
  test.each(eras)("is all that a %s client needs to open one", async (era) => {
    const client = createTestApp({ backend })[era]();
    const opened = await client.call("thought", { thought: "S1|O|Every login has hit a timeout since noon" });
    const { sessionId } = opened;
    expect(opened).toMatchObject({
      thoughtNumber: 1,
      sessionOpened: true,
      next: expect.stringContaining("sessionId"),
    });
    expect(await client.call("thought", { sessionId, thought: "two" })).toEqual({
      thoughtNumber: 2,
      sessionId,
    });
    expect(await client.call("list_sessions")).toMatchObject({
      total: 1,
      sessions: [{ id: sessionId, title: "Every login has hit a timeout since noon", thoughtCount: 2 }],
    });
  });

  test.each(eras)("a %s client may search before anything else", async (era) => {
    const client = createTestApp({ backend })[era]();
    expect(await client.call("session_search", { query: "timeout" })).toMatchObject({ hits: [] });
  });

  test("takes title and tags from the call, and a legacy connection keeps the session", async () => {
    const client = createTestApp({ backend }).legacy();
    const call = { thought: "one", sessionTitle: "T", sessionTags: ["x"] };
    const { sessionId } = await client.call("thought", call);
    expect(await client.call("thought", { thought: "two" })).toEqual({ thoughtNumber: 2, sessionId });
    expect(await client.call("get_state")).toMatchObject({ sessionId, session: { title: "T", tags: ["x"] } });
  });

  test.each(eras)(
    "sent again within one conversation of a %s client opens no second one and reports the duplicate",
    async (era) => {
      const app = createTestApp({ backend });
      const client = () => app[era]({ client: "agent", conversation: { id: "c1" } });
      const first = await client().call("thought", { thought: "one" });
      const again = await client().call("thought", { thought: "one" });
      expect(again).toMatchObject({ ...first, warnings: [{ code: "DUPLICATE_THOUGHT" }] });
      expect(await app[era]().call("list_sessions")).toMatchObject({
        total: 1,
        sessions: [{ thoughtCount: 1 }],
      });
      expect(await client().call("thought", { thought: "other" })).toMatchObject({
        sessionId: first.sessionId,
        thoughtNumber: 2,
      });
    },
  );

  test.each(eras)("with the same text as another %s agent's opens a separate session", async (era) => {
    const app = createTestApp({ backend });
    const agents = [
      app[era](),
      app[era](),
      app[era]({ client: "agent", conversation: { id: "c1" } }),
      app[era]({ client: "agent", conversation: { id: "c2" } }),
      app[era]({ client: "another", conversation: { id: "c2" } }),
    ];
    const opened = [];
    for (const agent of agents) opened.push(await agent.call("thought", { thought: "one" }));
    expect(new Set(opened.map(({ sessionId }) => sessionId)).size).toBe(agents.length);
  });

  test("sent again with its idempotencyKey opens no second one", async () => {
    const app = createTestApp({ backend });
    const client = app.modern();
    const call = { thought: "one", sessionTitle: "T", idempotencyKey: "k" };
    const first = await client.call("thought", call);
    expect(await client.call("thought", call)).toEqual(first);
    expect((await app.modern().call("thought", { ...call, idempotencyKey: "other" })).sessionId).not.toBe(
      first.sessionId,
    );
    expect(await client.call("list_sessions")).toMatchObject({ total: 2 });
  });

  test.each(["thought", "start_new"])(
    "%s sent again after its session was deleted is refused, and the error asks for a new key",
    async (operation) => {
      const client = createTestApp({ backend }).modern();
      const call = { ...(operation === "thought" && { thought: "one" }), idempotencyKey: "k" };
      const { sessionId } = await client.call(operation, call);
      await client.call("session_delete", { sessionId, confirm: true });
      const error = await client.refusal(operation, call);
      expect(error).toMatchObject({
        code: "SESSION_NOT_FOUND",
        message: "The session for this idempotencyKey was deleted.",
      });
      expect(error.recovery?.hint).toMatch(/new key/);
      expect(await client.call(operation, { ...call, idempotencyKey: "new" })).toHaveProperty("sessionId");
    },
  );

  test.each(eras)("sent again does not undo a later move of a %s client", async (era) => {
    const app = createTestApp({ backend });
    const call = { thought: "one", idempotencyKey: "k" };
    const { sessionId } = await app[era]().call("thought", call);
    const moved = { task: "speed", aspect: "cache" };
    await app[era]().call("load_context", { sessionId });
    await app.modern().call("navigate", { sessionId, ...moved, domain: "debugging" });
    const again = app[era]();
    expect(await again.call("thought", call)).toMatchObject({ sessionId, thoughtNumber: 1 });
    const state = { navigation: moved, activeDomain: "debugging" };
    expect(await app.modern().call("get_state", { sessionId })).toMatchObject(state);
    if (era === "legacy") expect(await again.call("get_state")).toMatchObject({ sessionId, ...state });
  });

  test.each([
    { branchFromThought: 4 },
    { branchId: "alt" },
    { branchFromThought: 1, branchId: "alt" },
    { revisesThought: 1 },
    { isRevision: true, revisesThought: 1 },
    { attachCritique: { thoughtNumber: 1, text: "Why?" } },
  ])("that refers to earlier thoughts with %o is refused and creates no session", async (args) => {
    const client = createTestApp({ backend }).legacy();
    const call = { thought: "x", ...args };
    const error = await client.refusal("thought", call);
    expect(error.code).toBe("THOUGHT_NOT_FOUND");
    expect(await client.call("list_sessions", { project: "*" })).toMatchObject({ total: 0 });
    expect(await executeRecovery(client, call, error)).toMatchObject({ thoughtNumber: 1 });
  });

  test.each([{ branchId: "alt" }, { revisesThought: 1 }, { thoughtNumber: 7 }])(
    "that continues earlier work with %o refers a modern caller to the recent session",
    async (args) => {
      const app = createTestApp({ backend });
      const { sessionId } = await app.modern().call("start_new");
      const client = app.modern();
      expect(await refusalWithCure(client, "thought", { thought: "x", ...args })).toMatchObject({
        code: "SESSION_NOT_FOUND",
        details: { recentSessions: [{ sessionId }] },
        recovery: { operation: "load_context", args: { sessionId } },
      });
      expect(await client.call("list_sessions")).toMatchObject({ total: 1 });
    },
  );

  test.each(eras)("opens none for a %s client if autoCreateSession is false", async (era) => {
    const env = { THOUGHTBOX_AUTO_CREATE_SESSION: "false" };
    const client = createTestApp({ backend, env })[era]();
    const error = await refusalWithCure(client, "thought", { thought: "x", sessionTitle: "T" });
    expect(error).toMatchObject({ code: "SESSION_NOT_FOUND", recovery: { operation: "start_new" } });
  });

  test("opens none through the gateway before its stage", async () => {
    const client = throughGateway(createTestApp({ backend }).legacy());
    const error = await client.refusal("thought", { thought: "x", sessionTitle: "T" });
    expect(error.code).toBe("STAGE_REQUIREMENT_NOT_MET");
    expect(await client.call("list_sessions")).toMatchObject({ total: 0 });
  });
});

test("after a minute, a repeated first thought counts as a new thought", async () => {
  let now = Date.parse("2026-11-16T08:00:00Z");
  const caller = { client: "agent", conversation: { id: "c1" } };
  const client = createTestApp({ clock: () => new Date(now) }).modern(caller);
  const first = await client.call("thought", { thought: "one" });
  now += 59_000;
  expect(await client.call("thought", { thought: "one" })).toMatchObject({ ...first, thoughtNumber: 1 });
  now += 2_000;
  expect(await client.call("thought", { thought: "one" })).toMatchObject({ thoughtNumber: 2 });
});

test("repeating a first thought whose session was deleted opens a new session", async () => {
  const client = createTestApp().modern();
  const { sessionId } = await client.call("thought", { thought: "one" });
  await client.call("session.delete", { sessionId, confirm: true });
  expect((await client.call("thought", { thought: "one" })).sessionId).not.toBe(sessionId);
});

describe.each(lastingDoors)("reasoningSessionId on %s", (backend) => {
  async function configured() {
    const first = createTestApp({ backend });
    const sessionId = await startThinking(first.modern(), { title: "the operator's" });
    await first.close();
    const env = { THOUGHTBOX_REASONING_SESSION_ID: sessionId };
    return { app: createTestApp({ backend, dataDir: first.dataDir, env }), sessionId };
  }

  test("is the session of modern callers that name none", async () => {
    const { app, sessionId } = await configured();
    const client = app.modern();
    expect(await client.call("get_state")).toMatchObject({ sessionId, stage: 2 });
    expect(await client.call("thought", { thought: "one" })).toEqual({ thoughtNumber: 1, sessionId });
    const other = await startThinking(client);
    expect(await client.call("thought", { sessionId: other, thought: "x" })).toMatchObject({
      sessionId: other,
    });
  });

  test("is the session of a legacy connection without its own, at the stage that the session has reached", async () => {
    const { app, sessionId } = await configured();
    const client = throughGateway(app.legacy());
    expect(await client.call("get_state")).toMatchObject({ sessionId, stage: 2 });
    expect(await client.call("thought", { thought: "x" })).toEqual({ thoughtNumber: 1, sessionId });
    const { sessionId: own } = await client.call("start_new");
    expect(await client.call("get_state")).toMatchObject({ sessionId: own, stage: 1 });
  });
});

describe.each(doors)("reasoningSessionId of a missing session, on %s", (backend) => {
  test("is ignored, and a thought opens a new session", async () => {
    const env = { THOUGHTBOX_REASONING_SESSION_ID: "00000000-0000-4000-8000-000000000000" };
    const client = createTestApp({ backend, env }).modern();
    expect(await client.call("get_state")).toMatchObject({ sessionId: null, stage: 0 });
    expect(await client.call("thought", { thought: "x" })).toMatchObject({ sessionOpened: true });
  });
});
