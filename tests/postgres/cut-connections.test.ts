import { describe, expect, test } from "vitest";
import { startCuttingProxy, through, type Wire } from "../support/postgres/cutting-proxy.ts";
import { chanceFor } from "../support/seeded-random.ts";
import { connect, databaseUrl, hasPostgres, tenantOf } from "../support/stores/postgres-server.ts";
import { createTestApp, startThinking, type TestClient } from "../support/test-app.ts";

async function behindProxy(env: Record<string, string> = {}) {
  const proxy = await startCuttingProxy(databaseUrl());
  const app = createTestApp({ backend: "postgres", env: { DATABASE_URL: proxy.url, ...env } });
  const client = app.modern();
  const sessionId = await startThinking(client);
  const thoughts = async (): Promise<string[]> =>
    (await client.call("read_thoughts", { sessionId, last: 500 })).thoughts.map(
      ({ thought }: { thought: string }) => thought,
    );
  return { ...proxy, app, client, sessionId, thoughts };
}

const commit = /COMMIT\0/;

describe.skipIf(!hasPostgres)("a connection that is cut", () => {
  test("before the commit is sent does not affect the caller", async () => {
    const { wire, client, sessionId, thoughts } = await behindProxy();
    let cuts = 0;
    wire.onSent = (text, _, isWhole) =>
      (isWhole || /SET LOCAL lock_timeout/.test(text)) && cuts++ < 3 ? "lose" : "pass";
    expect(await client.call("thought", { sessionId, thought: "one" })).toMatchObject({ thoughtNumber: 1 });
    expect(cuts).toBeGreaterThan(3);
    expect(await thoughts()).toEqual(["one"]);
  });

  test("while the commit is sent leaves the outcome unknown, and the same key stores the thought once", async () => {
    const { wire, client, sessionId, thoughts } = await behindProxy();
    wire.onSent = (text, isWrite) => (isWrite && commit.test(text) ? "lose" : "pass");
    const call = { sessionId, thought: "one", idempotencyKey: "k" };
    const error = await client.refusal("thought", call);
    expect(error).toMatchObject({ code: "STORAGE_ERROR", details: { outcome: "unknown" } });
    expect(error.recovery?.hint).toMatch(/same idempotencyKey/);
    Object.assign(wire, through);
    expect(await thoughts()).toEqual([]);
    expect(await client.call("thought", call)).toMatchObject({ thoughtNumber: 1 });
    expect(await client.call("thought", call)).toMatchObject({ thoughtNumber: 1 });
    expect(await thoughts()).toEqual(["one"]);
  });

  test("before the commit is answered leaves the outcome unknown, and the same key finds the thought", async () => {
    const { wire, client, sessionId, thoughts } = await behindProxy();
    wire.onAnswered = (text, isWrite) => (isWrite && commit.test(text) ? "lose" : "pass");
    const call = { sessionId, thought: "one", idempotencyKey: "k" };
    expect(await client.refusal("thought", call)).toMatchObject({ details: { outcome: "unknown" } });
    Object.assign(wire, through);
    expect(await thoughts()).toEqual(["one"]);
    expect(await client.call("thought", call)).toMatchObject({ thoughtNumber: 1 });
    expect(await thoughts()).toEqual(["one"]);
  });

  test("at any place stores every thought once", async () => {
    const { wire, client, sessionId, thoughts } = await behindProxy();
    const { next: random } = chanceFor("cut connections");
    const fate = () => (random() < 0.03 ? (random() < 0.5 ? "lose" : "pass and cut") : "pass");
    Object.assign(wire, { onSent: fate, onAnswered: fate });
    const texts = Array.from({ length: 120 }, (_, n) => `thought ${n}`);
    const lane = async (own: readonly string[]) => {
      for (const thought of own) await storeOnce(client, { sessionId, thought, idempotencyKey: thought });
    };
    await Promise.all([0, 1, 2, 3].map((n) => lane(texts.filter((_, place) => place % 4 === n))));
    Object.assign(wire, through);
    expect((await thoughts()).sort()).toEqual(texts.sort());
    expect(await client.call("session.verify", { sessionId })).toMatchObject({ valid: true });
  });
});

describe.skipIf(!hasPostgres)("a server without others", () => {
  /** Returns `whole` for each one-statement write of a call, and the texts that begin or commit others. */
  async function piecesOf(wire: Wire, call: () => Promise<unknown>): Promise<string[]> {
    const pieces: string[] = [];
    wire.onSent = (text, isWrite, isWhole) => {
      if (isWhole) pieces.push("whole");
      else if (isWrite && /lock_timeout|COMMIT\0/.test(text)) pieces.push(text);
      return "pass";
    };
    await call();
    Object.assign(wire, through);
    return pieces;
  }

  test("sends a thought with its lock and commit as one statement, unless another server has written", async () => {
    const { wire, client, sessionId, app, thoughts } = await behindProxy();
    const think = (thought: string) => client.call("thought", { sessionId, thought });
    await think("one");
    expect(await piecesOf(wire, () => think("two"))).toEqual(["whole"]);
    const other = createTestApp({ backend: "postgres", dataDir: app.dataDir }).modern();
    await other.call("thought", { sessionId, thought: "three" });
    expect(await think("four")).toMatchObject({ thoughtNumber: 4 });
    expect((await piecesOf(wire, () => think("five"))).length).toBeGreaterThan(1);
    await think("six");
    expect(await piecesOf(wire, () => think("seven"))).toEqual(["whole"]);
    expect(await thoughts()).toEqual(["one", "two", "three", "four", "five", "six", "seven"]);
    expect(await client.call("session.verify", { sessionId })).toMatchObject({ valid: true });
  });

  test("sends a branch together with its commit", async () => {
    const { wire, client, sessionId } = await behindProxy();
    await client.call("thought", { sessionId, thought: "one" });
    const branch = { sessionId, thought: "two", branchFromThought: 1, branchId: "side" };
    const pieces = await piecesOf(wire, () => client.call("thought", branch));
    expect(pieces.at(-1)).toMatch(/COMMIT\0/);
    const second = { sessionId, thought: "three", branchId: "side" };
    expect(await client.call("thought", second)).toMatchObject({ thoughtNumber: 3, branchId: "side" });
    expect(await client.call("session.verify", { sessionId })).toMatchObject({ valid: true });
  });

  test("repeats a call that was lost before anything was answered", async () => {
    const { wire, client, sessionId, thoughts } = await behindProxy();
    const think = (thought: string) => client.call("thought", { sessionId, thought });
    for (const thought of ["one", "two"]) await think(thought);
    let cuts = 0;
    wire.onSent = (_, __, isWhole) => (isWhole && cuts++ === 0 ? "lose" : "pass");
    expect(await think("three")).toMatchObject({ thoughtNumber: 3 });
    expect(cuts).toBe(1);
    expect(await thoughts()).toEqual(["one", "two", "three"]);
  });

  test("reports an unknown outcome if the only answer to a thought was lost", async () => {
    const { wire, client, sessionId, thoughts } = await behindProxy();
    for (const thought of ["one", "two"]) await client.call("thought", { sessionId, thought });
    wire.onAnswered = (_, __, isWhole) => {
      if (!isWhole) return "pass";
      Object.assign(wire, through);
      return "lose";
    };
    const refused = await client.refusal("thought", { sessionId, thought: "three" });
    expect(refused).toMatchObject({ code: "STORAGE_ERROR", details: { outcome: "unknown" } });
    expect(await thoughts()).toEqual(["one", "two", "three"]);
  });
});

describe.skipIf(!hasPostgres)("a busy database", () => {
  test("serves more callers than it has connections", async () => {
    const app = createTestApp({ backend: "postgres", env: { THOUGHTBOX_POOL_SIZE: "2" } });
    const client = app.modern();
    const sessionId = await startThinking(client);
    const calls = Array.from({ length: 64 }, (_, n) => [
      client.call("thought", { sessionId, thought: `${n}` }),
      client.call("session.get", { sessionId }),
      client.call("notes_commit", { content: `${n}` }),
    ]).flat();
    await Promise.all(calls);
    expect(await client.call("session.get", { sessionId })).toMatchObject({ session: { thoughtCount: 64 } });
  });

  test("waits for a lock that is released, and reports one that is not", async () => {
    const app = createTestApp({ backend: "postgres" });
    const client = app.modern();
    const sessionId = await startThinking(client);
    const other = await connect(databaseUrl());
    const lock = `SELECT 1 FROM thoughtbox.tenants WHERE tenant = '${tenantOf(app.dataDir)}' FOR UPDATE`;
    await other.query("BEGIN");
    await other.query(lock);
    const waiting = client.call("thought", { sessionId, thought: "patient" });
    expect(await client.call("session.get", { sessionId })).toMatchObject({ session: { id: sessionId } });
    await other.query("COMMIT");
    expect(await waiting).toMatchObject({ thoughtNumber: 1 });
    await other.query("BEGIN");
    await other.query(lock);
    const error = await client.refusal("thought", { sessionId, thought: "too late" });
    expect(error).toMatchObject({ code: "STORAGE_ERROR", details: { outcome: "not_stored" } });
    expect(error.message).toMatch(/Another process kept the store locked/);
    await other.end();
    expect(await client.call("thought", { sessionId, thought: "next" })).toMatchObject({ thoughtNumber: 2 });
  });
});

/** Repeats the call with the same key until it is answered, as a client does. */
async function storeOnce(client: TestClient, call: Record<string, unknown>): Promise<void> {
  for (let tries = 0; tries < 50; tries += 1) {
    const reply = await client.reply("thought", call);
    if (reply.kind === "result") return;
    expect(reply).toMatchObject({ error: { code: "STORAGE_ERROR" } });
  }
  throw new Error("the call was never answered");
}
