import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { executeRecovery, refusalWithCure } from "../../support/replies/execute-recovery.ts";
import { tempDir } from "../../support/temp-dir.ts";
import {
  backends,
  createTestApp,
  fewWays,
  keepsFiles,
  lastingWays,
  resumeThinking,
  shareTestApp,
  startThinking,
  type TestClient,
} from "../../support/test-app.ts";

describe.each(fewWays)("sessions of a %s client on %s", (era, backend) => {
  const app = shareTestApp({ backend });
  const [client, other] = [app[era](), app[era]()];

  describe("beginning", () => {
    test("start_new creates the session immediately, with the given details", async () => {
      const before = new Date().toISOString();
      const told = await client.call("start_new", {
        sessionTitle: "Why?",
        description: "Because.",
        tags: ["a", "b", "a"],
        project: "shop",
        task: "speed",
        aspect: "cache",
      });
      const after = new Date().toISOString();
      expect(told).toMatchObject({ stage: 1, next: expect.stringContaining("sessionId") });
      const { createdAt } = told.session;
      expect(before <= createdAt && createdAt <= after, `${before} ${createdAt} ${after}`).toBe(true);
      expect(told.session).toEqual({
        id: told.sessionId,
        title: "Why?",
        description: "Because.",
        tags: ["a", "b", "project:shop", "task:speed", "aspect:cache"],
        project: "shop",
        status: "active",
        thoughtCount: 0,
        branchCount: 0,
        partitionPath: createdAt.slice(0, "2026-03".length),
        createdAt,
        updatedAt: createdAt,
      });
      expect(told.sessionId).toMatch(/^[0-9a-f-]{36}$/);
      expect(await client.call("list_sessions", { project: "shop" })).toMatchObject({ total: 1 });
    });

    test("a session without a title is named after its creation time", async () => {
      const { session } = await client.call("start_new");
      expect(session.title).toBe(`Reasoning session ${session.createdAt}`);
    });

    test.each([
      { title: "T", sessionTags: ["x"] },
      { newWork: { sessionTitle: "T", tags: ["x"] } },
      { newWork: { title: "T" }, tags: "x" },
    ])("start_new accepts %o", async (args) => {
      const { session } = await client.call("start_new", args);
      expect(session).toMatchObject({ title: "T", tags: ["x"] });
    });

    test("a call repeated with its idempotencyKey returns the same session, and other content is refused", async () => {
      const call = { sessionTitle: "once", project: "once", idempotencyKey: "k" };
      const first = await client.call("start_new", call);
      expect((await client.call("start_new", call)).sessionId).toBe(first.sessionId);
      expect(await client.call("list_sessions", { project: "once" })).toMatchObject({ total: 1 });
      expect(await client.refusal("start_new", { ...call, sessionTitle: "twice" })).toMatchObject({
        code: "INVALID_PAYLOAD",
      });
    });

    test("a repeated call does not undo a later move of the session", async () => {
      const call = { sessionTitle: "moved", task: "first", idempotencyKey: "moved" };
      const { sessionId } = await client.call("start_new", call);
      await client.call("navigate", { sessionId, task: "second" });
      expect((await client.call("start_new", call)).sessionId).toBe(sessionId);
      expect(await client.call("get_state", { sessionId })).toMatchObject({ navigation: { task: "second" } });
    });
  });

  describe("get_state", () => {
    test("of a new client is empty", async () => {
      expect(await createTestApp({ backend })[era]().call("get_state")).toMatchObject({
        stage: 0,
        stageName: "entry",
        sessionId: null,
        project: "_default",
        activeDomain: null,
        boundRoot: null,
        navigation: { project: null, task: null, aspect: null },
        availableOperations: expect.arrayContaining(["start_new", "load_context", "help"]),
      });
    });

    test("reports the state of the session", async () => {
      const place = { project: "garden", task: "speed", aspect: "cache" };
      const sessionId = await startThinking(client, { ...place, domain: "debugging", title: "T" });
      const state = await client.call("get_state", { sessionId });
      expect(state).toMatchObject({
        stage: 3,
        stageName: "domain_active",
        sessionId,
        session: { id: sessionId, title: "T" },
        project: "garden",
        activeDomain: "debugging",
        navigation: place,
        sandbox: expect.stringMatching(/^(?:strong|medium|basic|none|missing)$/),
      });
      expect(state.availableOperations).toContain("thought");
    });
  });

  describe("ending", () => {
    test("nextThoughtNeeded: false on the main chain completes the session, and a later thought reopens it", async () => {
      const sessionId = await startThinking(client);
      const told = await client.call("thought", { sessionId, thought: "so", nextThoughtNeeded: false });
      expect(told).toMatchObject({ thoughtNumber: 1, sessionClosed: true });
      const completed = (await client.call("get_state", { sessionId })).session;
      expect(completed).toMatchObject({ status: "completed", completedAt: completed.updatedAt });
      expect(await client.call("thought", { sessionId, thought: "but" })).toEqual({
        thoughtNumber: 2,
        sessionId,
      });
      const { session } = await client.call("get_state", { sessionId });
      expect(session.status).toBe("active");
      expect(session).not.toHaveProperty("completedAt");
    });

    test("a finished session is exported automatically if the backend keeps files", async () => {
      const sessionId = await startThinking(client);
      const end = { sessionId, thought: "so", nextThoughtNeeded: false, idempotencyKey: "end" };
      const told = await client.call("thought", end);
      const path = join(app.dataDir, "exports", `${sessionId}.json`);
      expect(told.exportPath).toBe(keepsFiles(backend) ? path : undefined);
      expect(existsSync(path)).toBe(keepsFiles(backend));
      expect(await client.call("thought", end)).toEqual(told);
      if (!keepsFiles(backend)) return;
      expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({
        version: "1.0",
        session: { id: sessionId, status: "completed" },
        nodes: [{ data: { thought: "so" } }],
      });
    });

    test("a repeated call neither changes the export nor creates another", async () => {
      const sessionId = await startThinking(client);
      const end = { sessionId, thought: "so", nextThoughtNeeded: false, idempotencyKey: "again" };
      const { exportPath: path, ...told } = await client.call("thought", end);
      expect(path !== undefined).toBe(keepsFiles(backend));
      if (!keepsFiles(backend)) return;
      writeFileSync(path, "edited");
      expect(await client.call("thought", end)).toEqual({ ...told, exportPath: path });
      expect(readFileSync(path, "utf8")).toBe("edited");
      rmSync(path);
      expect(await client.call("thought", end)).toEqual(told);
      expect(existsSync(path)).toBe(false);
    });
  });

  describe("loading", () => {
    async function worked(client: TestClient): Promise<string> {
      const sessionId = await startThinking(client, { title: "worked" });
      for (let n = 1; n <= 7; n += 1) await client.call("thought", { sessionId, thought: `m${n}` });
      await client.call("thought", { sessionId, thought: "a", branchFromThought: 2, branchId: "alt" });
      await client.call("thought", { sessionId, thought: "m8", revisesThought: 1 });
      return sessionId;
    }

    test("returns what is needed to continue: the last five thoughts, the structure and the next numbers", async () => {
      const sessionId = await worked(client);
      const loaded = await other.call("load_context", { sessionId });
      expect(loaded.lastThoughts.map(({ thought }: any) => thought)).toEqual(["m5", "m6", "m7", "a", "m8"]);
      expect(loaded).toMatchObject({
        sessionId,
        session: { title: "worked", thoughtCount: 9, branchCount: 1 },
        nextThoughtNumber: 9,
        branches: [{ branchId: "alt", nextThoughtNumber: 4 }],
        structure: { totalThoughts: 9, revisionCount: 1 },
      });
      expect(await client.call("thought", { sessionId, thought: "m9" })).toMatchObject({ thoughtNumber: 9 });
    });

    test("latest selects the session that changed last", async () => {
      const app = createTestApp({ backend });
      const [client, other] = [app[era](), app[era]()];
      const sessionId = await worked(client);
      await client.call("start_new", { title: "newer, but elsewhere", project: "other" });
      expect(await other.call("load_context", { latest: true })).toMatchObject({ sessionId });
      const elsewhere = await other.call("load_context", { latest: true, project: "other" });
      expect(elsewhere.session.title).toBe("newer, but elsewhere");
    });

    test("without an ID loads the caller's own session, and suggests start_new if there is none", async () => {
      const client = createTestApp({ backend })[era]();
      const empty = await client.refusal("load_context");
      expect(empty).toMatchObject({ code: "SESSION_NOT_FOUND", recovery: { operation: "start_new" } });
      const { sessionId } = await executeRecovery(client, {}, empty);
      expect(await client.call("load_context", { latest: false })).toMatchObject({ sessionId });
    });

    test("is refused with a way out if there is no session or the ID is unknown", async () => {
      const client = createTestApp({ backend })[era]();
      expect(await refusalWithCure(client, "load_context", { latest: true })).toMatchObject({
        code: "SESSION_NOT_FOUND",
        recovery: { operation: "start_new" },
      });
      const unknown = "00000000-0000-4000-8000-000000000000";
      expect(await refusalWithCure(client, "load_context", { sessionId: unknown })).toMatchObject({
        code: "SESSION_NOT_FOUND",
        recovery: { operation: "list_sessions" },
      });
    });
  });
});

describe.each(backends)("with a controlled clock, on %s", (backend) => {
  test.each([
    ["weekly", "2026-W53"],
    ["daily", "2027-01-01"],
    ["none", undefined],
  ])(
    "sessionPartitionGranularity %s in config.json sets the partition path",
    async (sessionPartitionGranularity, partitionPath) => {
      const dataDir = tempDir();
      writeFileSync(join(dataDir, "config.json"), JSON.stringify({ sessionPartitionGranularity }));
      const client = createTestApp({
        backend,
        dataDir,
        clock: () => new Date("2027-01-01T00:00:00Z"),
      }).modern();
      expect((await client.call("start_new")).session.partitionPath).toBe(partitionPath);
    },
  );
});

describe.each(lastingWays)("a store that a %s client reaches over %s", (era, backend) => {
  test("still has the whole session after a restart", async () => {
    const first = createTestApp({ backend });
    const client = first[era]();
    const sessionId = await startThinking(client, { title: "durable", domain: "planning" });
    await client.call("thought", { sessionId, thought: "one" });
    await client.call("thought", { sessionId, thought: "or", branchFromThought: 1, branchId: "alt" });
    await client.call("thought", { sessionId, thought: "better", branchId: "alt", revisesThought: 2 });
    const before = await client.call("session.export", { sessionId });
    await first.close();

    const again = createTestApp({ backend, dataDir: first.dataDir })[era]();
    // A legacy connection has to reach its stage again. A modern session keeps its stage.
    if (era === "legacy") await resumeThinking(again, sessionId);
    expect(await again.call("get_state", { sessionId })).toMatchObject({
      stage: 3,
      activeDomain: "planning",
    });
    const after = await again.call("session.export", { sessionId });
    expect(after.export.nodes).toEqual(before.export.nodes);
    expect(after.export.integrity).toEqual(before.export.integrity);
    expect(await again.call("session.verify", { sessionId })).toMatchObject({
      valid: true,
      chain: { length: 3 },
    });
    expect(await again.call("thought", { sessionId, thought: "on" })).toMatchObject({ thoughtNumber: 2 });
  });
});
