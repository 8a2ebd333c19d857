import { describe, expect, test } from "vitest";
import { catalogue } from "../../../src/operations/catalogue.ts";
import type { Era } from "../../support/real-door.ts";
import { executeRecovery, refusalWithCure } from "../../support/replies/execute-recovery.ts";
import {
  createTestApp,
  doors,
  shareTestApp,
  startThinking,
  type TestClient,
  throughGateway,
  ways,
} from "../../support/test-app.ts";

const stageOf = async (client: TestClient, sessionId?: string): Promise<number> =>
  (await client.call("get_state", sessionId === undefined ? {} : { sessionId })).stage;

/** Returns the arguments that name the session. A legacy connection remembers it and needs none. */
const whereabouts = (era: Era, { sessionId }: { sessionId: string }) =>
  era === "legacy" ? {} : { sessionId };

describe.each(ways)("stages of a %s client on %s", (era, backend) => {
  const client = shareTestApp({ backend })[era]();

  describe("a domain", () => {
    test("given to start_new is remembered until the cipher is read", async () => {
      const { sessionId, stage } = await client.call("start_new", { domain: "debugging" });
      expect(stage).toBe(1);
      expect(await client.call("cipher", { sessionId })).toMatchObject({ stage: 3 });
    });

    test("given to navigate after the cipher opens stage 3 at once", async () => {
      const sessionId = await startThinking(client);
      expect(await client.call("navigate", { sessionId, domain: "planning" })).toMatchObject({
        stage: 3,
        activeDomain: "planning",
      });
      expect(await client.call("get_state", { sessionId })).toMatchObject({ stageName: "domain_active" });
    });

    test("given to navigate before the cipher takes effect once the cipher is read", async () => {
      const { sessionId } = await client.call("start_new");
      expect(await client.call("navigate", { sessionId, domain: "analysis" })).toMatchObject({ stage: 1 });
      expect(await client.call("cipher", { sessionId })).toMatchObject({ stage: 3 });
    });
  });

  test("only a legacy connection gets the cipher shortened when it reads it again, unless it passes full: true", async () => {
    const client = createTestApp({ backend })[era]();
    const { sessionId } = await client.call("start_new");
    const read = async (args = {}) => (await client.call("cipher", { sessionId, ...args })).markdown;
    const whole = await read();
    expect(whole.length).toBeGreaterThan(4_000);
    const again = await read();
    if (era === "legacy") {
      expect(again.length).toBeLessThan(500);
      for (const letter of "HECQRPOAX") expect(again).toMatch(new RegExp(` ${letter} `));
      expect(again).toContain("full: true");
    } else expect(again).toBe(whole);
    expect(await read({ full: true })).toBe(whole);
  });

  test("get_state lists the operations that are available at the stage", async () => {
    const client = throughGateway(createTestApp({ backend })[era]());
    const open = async (args = {}) => (await client.call("get_state", args)).availableOperations;
    const upTo = (...stages: string[]) =>
      catalogue.filter(({ stage }) => stages.includes(stage)).map(({ name }) => name);
    expect(await open()).toEqual(upTo("entry"));
    const here = whereabouts(era, await client.call("start_new"));
    expect(await open(here)).toEqual(upTo("entry", "init_complete"));
    await client.call("cipher", here);
    expect(await open(here)).toEqual(upTo("entry", "init_complete", "cipher_loaded"));
  });

  test("answers before the first thought list the available operations in one line, and later ones do not", async () => {
    const client = throughGateway(createTestApp({ backend })[era]());
    expect((await client.call("get_state")).next).toBe("Open a session with start_new or load_context.");
    const started = await client.call("start_new");
    const here = whereabouts(era, started);
    expect(started.next).toMatch(/^Available now: cipher, session.*Next: cipher, which unlocks thought/);
    for (const [name, args] of [
      ["cipher", {}],
      ["list_sessions", {}],
      ["session.search", { query: "x" }],
      ["help", {}],
      ["navigate", {}],
    ] as const) {
      const line = (await client.call(name, { ...here, ...args })).next;
      expect(line, name).toMatch(/^Available now: thought, read_thoughts, get_structure/);
      expect(line).not.toContain("\n");
      expect(line.length).toBeLessThan(200);
    }
    expect(await client.call("thought", { ...here, thought: "x" })).not.toHaveProperty("next");
    expect(await client.call("read_thoughts", here)).not.toHaveProperty("next");
    const deleted = await client.call("session.delete", { ...here, confirm: true });
    expect(deleted.next).toBe("Open a session with start_new or load_context.");
    expect((await client.call("get_state")).next).toBe(deleted.next);
  });

  test("every answer contains its sessionId", async () => {
    const sessionId = await startThinking(client);
    for (const [name, args] of [
      ["get_state", {}],
      ["list_sessions", {}],
      ["navigate", {}],
      ["list_roots", {}],
      ["help", {}],
      ["cipher", {}],
      ["session.search", { query: "x" }],
    ] as const)
      expect(await client.call(name, { sessionId, ...args }), name).toMatchObject({ sessionId });
  });

  test("no operation requires a stage under THOUGHTBOX_DISCLOSURE=open", async () => {
    const env = { THOUGHTBOX_DISCLOSURE: "open" };
    const client = throughGateway(createTestApp({ backend, env })[era]());
    const { sessionId } = await client.call("start_new");
    expect(await client.call("thought", { sessionId, thought: "at once" })).toMatchObject({
      thoughtNumber: 1,
    });
    const { availableOperations, next, sandbox } = await client.call("get_state");
    expect(next).toBeUndefined();
    expect(sandbox).toBeDefined();
    expect(availableOperations).toEqual(catalogue.map(({ name }) => name));
  });
});

describe.each(doors)("stages of each era on %s", (backend) => {
  test("a legacy connection advances with start_new and cipher, and its calls may omit the session", async () => {
    const client = createTestApp({ backend }).legacy();
    expect(await stageOf(client)).toBe(0);
    const { sessionId } = await client.call("start_new");
    expect(await stageOf(client)).toBe(1);
    expect(await client.call("cipher")).toMatchObject({ stage: 2, sessionId });
    expect(await client.call("thought", { thought: "one" })).toEqual({ thoughtNumber: 1, sessionId });
  });

  test("a modern caller advances with its session, and a caller that names none is at stage 0", async () => {
    const app = createTestApp({ backend });
    const client = throughGateway(app.modern());
    const { sessionId } = await client.call("start_new");
    expect(await stageOf(client, sessionId)).toBe(1);
    await client.call("cipher", { sessionId });
    expect(await stageOf(client, sessionId)).toBe(2);
    const other = throughGateway(app.modern());
    expect(await stageOf(other)).toBe(0);
    const error = await refusalWithCure(other, "thought", { thought: "x" });
    expect(error).toMatchObject({
      code: "STAGE_REQUIREMENT_NOT_MET",
      details: { currentStage: 0, requiredStage: 2, recentSessions: [{ sessionId }] },
      recovery: { operation: "start_new" },
    });
  });

  test("a thought that is sent too early is refused until start_new and cipher were called", async () => {
    const client = throughGateway(createTestApp({ backend }).legacy());
    const call = { thought: "eager" };
    for (const operation of ["start_new", "cipher"]) {
      const error = await client.refusal("thought", call);
      expect(error.recovery?.operation).toBe(operation);
      await executeRecovery(client, call, error);
    }
    expect(await client.call("thought", call)).toMatchObject({ thoughtNumber: 1 });
  });

  test("a domain stays with its session when a connection loads another", async () => {
    const client = createTestApp({ backend }).legacy();
    const plain = (await client.call("start_new")).sessionId;
    await client.call("start_new", { domain: "debugging" });
    await client.call("load_context", { sessionId: plain });
    expect(await client.call("get_state")).toMatchObject({ sessionId: plain, activeDomain: null });
    expect(await client.call("cipher")).toMatchObject({ stage: 2 });
  });

  describe("load_context", () => {
    test("gives a new connection stage 1, because it has not read the cipher", async () => {
      const app = createTestApp({ backend });
      const sessionId = await startThinking(app.legacy());
      const client = throughGateway(app.legacy());
      expect(await client.call("load_context", { sessionId })).toMatchObject({ stage: 1 });
      const error = await client.refusal("thought", { thought: "x" });
      expect(error.recovery?.operation).toBe("cipher");
      await executeRecovery(client, {}, error);
      expect(await client.call("thought", { thought: "x" })).toMatchObject({ thoughtNumber: 1 });
    });

    test("of the active session keeps the stage, and of another session returns to stage 1", async () => {
      const client = createTestApp({ backend }).legacy();
      const other = (await client.call("start_new")).sessionId;
      const active = await startThinking(client);
      expect(await client.call("load_context", { sessionId: active })).toMatchObject({ stage: 2 });
      expect(await client.call("load_context", { sessionId: other })).toMatchObject({ stage: 1 });
    });

    test("keeps the stage that a modern session had reached", async () => {
      const app = createTestApp({ backend });
      const sessionId = await startThinking(app.modern(), { domain: "analysis" });
      expect(await app.modern().call("load_context", { sessionId })).toMatchObject({ stage: 3 });
    });
  });

  test("start_new returns a legacy connection to stage 1", async () => {
    const client = createTestApp({ backend }).legacy();
    await startThinking(client);
    await client.call("start_new");
    expect(await stageOf(client)).toBe(1);
  });

  test("two connections never share stage or session", async () => {
    const app = createTestApp({ backend });
    const [one, two] = [app.legacy(), app.legacy()];
    const mine = await startThinking(one);
    expect(await two.call("get_state")).toMatchObject({ stage: 0, sessionId: null });
    const yours = await startThinking(two);
    await Promise.all([one.call("thought", { thought: "mine" }), two.call("thought", { thought: "yours" })]);
    expect(await one.call("read_thoughts")).toMatchObject({
      sessionId: mine,
      thoughts: [{ thought: "mine" }],
    });
    expect(await two.call("read_thoughts")).toMatchObject({
      sessionId: yours,
      thoughts: [{ thought: "yours" }],
    });
    expect(await app.modern().call("get_state")).toMatchObject({ stage: 0, sessionId: null });
  });

  test("a modern caller that reads without a session gets the latest, if there is one", async () => {
    const app = createTestApp({ backend });
    const client = app.modern();
    const none = await client.refusal("read_thoughts");
    expect(none).toMatchObject({ code: "SESSION_NOT_FOUND", recovery: { operation: "start_new" } });
    const { sessionId } = await executeRecovery(client, {}, none);
    expect(await app.modern().call("get_structure", {})).toMatchObject({
      sessionId,
      warnings: [{ code: "LATEST_SESSION" }],
    });
  });
});
