import { randomUUID } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  createReader,
  createSideWriter,
  type WithConnection,
} from "../../src/storage/postgres/connection/access.ts";
import { createConnector } from "../../src/storage/postgres/connection/open-pool.ts";
import { createPostgresStore } from "../../src/storage/postgres/postgres-store.ts";
import { databaseUrl, hasPostgres } from "../support/stores/postgres-server.ts";

const minute = 60_000;
const opening = {
  protocolVersion: "2025-11-25",
  capabilities: { roots: {} },
  clientInfo: { name: "a client", version: "1" },
};

/** Starts two servers for one tenant, with a shared clock. */
function openServers() {
  const tenant = randomUUID();
  let now = Date.parse("2026-11-15T12:00:00.000Z");
  const open = () => {
    const store = createPostgresStore({ url: databaseUrl(), tenant, poolSize: 2 }, () => new Date(now));
    onTestFinished(() => store.close());
    return store.connections;
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { one: open(), other: open(), pass };
}

describe.skipIf(!hasPostgres)("connections that servers share", () => {
  test("are known to another server, field by field, until they are closed", async () => {
    const { one, other } = openServers();
    await one.open("id", { principal: "owner", opening });
    await one.change("id", "", { stage: 2, sessionId: "s" });
    await other.change("id", "", { project: "shop", sessionId: null });
    await other.change("id", "of a conversation", { stage: 1 });
    await one.subscribe("id", "thoughtbox://a");
    await one.subscribe("id", "thoughtbox://b");
    await other.unsubscribe("id", "thoughtbox://a");
    expect(await one.find("id")).toEqual({
      principal: "owner",
      opening,
      bindings: new Map([
        ["", { stage: 2, project: "shop" }],
        ["of a conversation", { stage: 1 }],
      ]),
      subscriptions: new Set(["thoughtbox://b"]),
    });
    expect(await other.listSubscriptions(["id", "unknown"])).toEqual(
      new Map([["id", new Set(["thoughtbox://b"])]]),
    );
    await other.close("id");
    expect(await one.find("id")).toBeUndefined();
  });

  test("deliver each message once, to the right server", async () => {
    const { one, other } = openServers();
    await one.open("id", { principal: "owner", opening });
    await other.post("id", "server", { id: 1 });
    await other.post("id", 'call "7"', { id: 2 });
    expect(await one.collect("id", ["another"])).toEqual([]);
    expect(await one.collect("another", ["server"])).toEqual([]);
    expect(await one.collect("id", ["server", 'call "7"'])).toHaveLength(2);
    expect(await other.collect("id", ["server", 'call "7"'])).toEqual([]);
  });

  test("expire if no server has used them", async () => {
    const { one, other, pass } = openServers();
    await one.open("used", { principal: "owner", opening });
    await one.open("abandoned", { principal: "owner", opening });
    await one.change("used", "", { stage: 1 });
    await one.change("abandoned", "", { stage: 1 });
    await one.post("used", "a server that has gone", { id: 1 });
    pass(20 * minute);
    await one.tidy(["used"], 30 * minute);
    pass(20 * minute);
    await other.tidy([], 30 * minute);
    expect(await one.find("used")).toMatchObject({ bindings: new Map([["", { stage: 1 }]]) });
    expect(await one.find("abandoned")).toBeUndefined();
    expect(await one.collect("used", ["a server that has gone"])).toEqual([]);
  });
});

describe.skipIf(!hasPostgres)("a connection that was released", () => {
  const ways = ["read", "together", "write aside"] as const;

  /** Opens a pool with one connection, so that the next call gets the one that was released. */
  function openWays(): Record<(typeof ways)[number], WithConnection> {
    const tenant = randomUUID();
    const { pool, close } = createConnector({ url: databaseUrl(), tenant, poolSize: 1 });
    onTestFinished(close);
    const options = { pool, tenant, naming: { byName: true } };
    const { read, together } = createReader(options);
    return {
      read,
      together: (work) => together(() => read(work)),
      "write aside": createSideWriter(options),
    };
  }

  test.each(ways)("runs no more statements for a call that has failed, with %s", async (way) => {
    const opened = openWays();
    let goOn = () => {};
    const failed = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let late: Promise<unknown> | undefined;
    const call = opened[way](({ sql }) => {
      late = failed.then(() => sql("SELECT nothing_like_this").get());
      return Promise.all([late, sql("SELECT 1 / 0").get()]);
    });
    await expect(call).rejects.toThrow();
    const rows = await opened.read(async ({ sql }) => {
      goOn();
      await expect(late).rejects.toThrow("already released");
      return sql("SELECT 2 AS two").all();
    });
    expect(rows).toEqual([{ two: 2 }]);
  });
});
