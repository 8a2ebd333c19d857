import { randomUUID } from "node:crypto";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { openHttpDoor } from "../support/real-door.ts";
import { binary, cleanEnv } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { createTestApp, startThinking } from "../support/test-app.ts";

const modes = { legacy: "legacy", modern: { pin: "2026-07-28" } } as const;
const ways = (["legacy", "modern"] as const).flatMap((era) =>
  (["stdio", "http"] as const).map((door) => [era, door] as const),
);

async function connect(era: "legacy" | "modern", door: "stdio" | "http", dataDir: string): Promise<Client> {
  const client = new Client({ name: "watcher", version: "1" }, { versionNegotiation: { mode: modes[era] } });
  if (door === "http") {
    const opened = await openHttpDoor(dataDir, {});
    onTestFinished(() => opened.close());
    await client.connect(new StreamableHTTPClientTransport(opened.url));
  } else {
    const env = { ...cleanEnv(), DISABLE_THOUGHT_LOGGING: "true", THOUGHTBOX_DATA_DIR: dataDir };
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [binary, "stdio"], env, stderr: "ignore" }),
    );
  }
  onTestFinished(() => client.close());
  return client;
}

describe.each(ways)("a %s client over %s", (era, door) => {
  test("is notified if another process continues the session, and of no other session", async () => {
    const dataDir = tempDir();
    const writer = createTestApp({ backend: "fs", dataDir }).modern();
    const [watched, other] = [await startThinking(writer), await startThinking(writer)];
    const uri = `thoughtbox://sessions/${watched}`;
    const client = await connect(era, door, dataDir);
    const told: string[] = [];
    const arrived = new Promise<void>((resolve) => {
      client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
        told.push(params.uri);
        resolve();
      });
    });
    if (era === "legacy") await client.subscribeResource({ uri });
    else await client.listen({ resourceSubscriptions: [uri] });
    await writer.call("thought", { sessionId: other, thought: "not watched" });
    await writer.call("thought", { sessionId: watched, thought: "watched" });
    await arrived;
    expect(new Set(told)).toEqual(new Set([uri]));
  });

  test("is refused subscriptions to pages that never change and to missing sessions", async () => {
    const dataDir = tempDir();
    const watched = await startThinking(createTestApp({ backend: "fs", dataDir }).modern());
    const client = await connect(era, door, dataDir);
    const subscribe = (...uris: string[]): Promise<unknown> =>
      era === "legacy"
        ? client.subscribeResource({ uri: uris[0] ?? "" })
        : client.listen({ resourceSubscriptions: uris });
    const [page, nowhere] = ["thoughtbox://cipher", `thoughtbox://sessions/${randomUUID()}`];
    await expect(subscribe(page)).rejects.toThrow("Subscribe to a session");
    await expect(subscribe(nowhere)).rejects.toThrow("not found");
    if (era === "legacy") return;
    const session = `thoughtbox://sessions/${watched}`;
    const { honoredFilter } = await client.listen({ resourceSubscriptions: [page, session, nowhere] });
    expect(honoredFilter).toEqual({ resourceSubscriptions: [session] });
  });
});
