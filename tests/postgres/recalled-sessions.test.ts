import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openBareApp } from "../support/bare-app.ts";
import { hasPostgres } from "../support/stores/postgres-server.ts";
import { storeKind } from "../support/stores/stores.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startThinking } from "../support/test-app.ts";

/** Starts two servers for one tenant. */
function openServers(settings: Record<string, string> = {}) {
  const dataDir = join(tempDir(), "data");
  const open = (more: Record<string, string> = {}) => {
    const { client, close } = openBareApp("postgres", dataDir, more);
    onTestFinished(close);
    return client;
  };
  return { one: open(settings), other: open() };
}

describe.skipIf(!hasPostgres)("a session that a server has written to before", () => {
  test("is not read again before the next thought, unless another server has written", async () => {
    const asked: string[] = [];
    storeKind("postgres").watchStatements((sql) => asked.push(sql));
    const { one, other } = openServers();
    const sessionId = await startThinking(one);
    const think = (client: typeof one, thought: string) => client.call("thought", { sessionId, thought });
    for (const client of [one, other, one, other]) await think(client, "first");
    asked.length = 0;
    await think(other, "nobody has written since");
    expect(asked.filter((sql) => /^SELECT/.test(sql) && /thoughtbox\.sessions/.test(sql))).toEqual([]);
    asked.length = 0;
    await think(one, "somebody has");
    // The lock is taken first, so reads after it are current.
    expect(asked.find((sql) => !sql.startsWith("BEGIN"))).toMatch(/FOR UPDATE/);
  });

  test("accepts no thought after another server has deleted it, until it is restored", async () => {
    const { one, other } = openServers();
    const sessionId = await startThinking(one);
    await one.call("thought", { sessionId, thought: "here" });
    await other.call("session.delete", { sessionId, confirm: true });
    const refused = await one.refusal("thought", { sessionId, thought: "gone" });
    expect(refused.code).toBe("SESSION_NOT_FOUND");
    expect((await one.refusal("thought", { sessionId, thought: "still gone" })).code).toBe(
      "SESSION_NOT_FOUND",
    );
    await other.call("session.restore", { sessionId });
    expect(await one.call("thought", { sessionId, thought: "back" })).toMatchObject({ thoughtNumber: 2 });
  });

  test("is not accessible to a server with a project lock after another server has moved it", async () => {
    const { one, other } = openServers({ THOUGHTBOX_PROJECT: "shop", THOUGHTBOX_PROJECT_LOCK: "true" });
    const sessionId = await startThinking(one);
    await one.call("thought", { sessionId, thought: "of the shop" });
    await other.call("session.update", { sessionId, project: "elsewhere" });
    const refused = await one.refusal("thought", { sessionId, thought: "of another project" });
    expect(refused.code).toBe("SESSION_NOT_FOUND");
  });
});
