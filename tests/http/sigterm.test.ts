import { describe, expect, test } from "vitest";
import { type HttpProcess, spawnHttpServer } from "../support/http-process.ts";
import { allMessages, openLegacySession, postModern } from "../support/mcp-http.ts";
import { tempDir } from "../support/temp-dir.ts";

const writers = 6;

async function callTool(url: URL, id: number, name: string, args: object): Promise<any> {
  const answer = await postModern(url, id, "tools/call", { name, arguments: args });
  if (answer.status !== 200) throw new Error(`${name} answered ${answer.status}`);
  const [message] = await allMessages(answer);
  return message?.result.structuredContent;
}

async function startThinking(url: URL): Promise<string> {
  const { sessionId } = await callTool(url, 1, "start_new", {});
  await callTool(url, 2, "cipher", { sessionId });
  return sessionId;
}

/** Writes thoughts until the server refuses or is gone. Returns those acknowledged. */
async function writeUntilRefused({ url }: HttpProcess, sessionId: string, onWrite: () => void) {
  const acknowledged = new Map<number, string>();
  for (let id = 0; id < 100_000; id += 1) {
    const thought = `thought ${id}`;
    const answer = await callTool(url, id, "thought", { sessionId, thought }).catch(() => undefined);
    if (answer === undefined) return acknowledged;
    acknowledged.set(answer.thoughtNumber, thought);
    onWrite();
  }
  throw new Error("the server never stopped");
}

async function readAll(url: URL, sessionId: string): Promise<Map<number, string>> {
  const { chain } = await callTool(url, 1, "session_verify", { sessionId });
  expect(chain).toMatchObject({ valid: true });
  const found = new Map<number, string>();
  for (let from = 1; from <= chain.length; from += 50) {
    const range = [from, Math.min(from + 49, chain.length)];
    const { thoughts } = await callTool(url, from, "read_thoughts", { sessionId, range });
    for (const { thoughtNumber, thought } of thoughts) found.set(thoughtNumber, thought);
  }
  return found;
}

describe("SIGTERM", () => {
  test("during writes loses no acknowledged thought", async () => {
    const dataDir = tempDir();
    const server = await spawnHttpServer(dataDir);
    const sessions = await Promise.all(Array.from({ length: writers }, () => startThinking(server.url)));
    let written = 0;
    const stopInTheMiddle = () => {
      written += 1;
      if (written === 60) server.child.kill("SIGTERM");
    };
    const acknowledged = await Promise.all(
      sessions.map((sessionId) => writeUntilRefused(server, sessionId, stopInTheMiddle)),
    );
    expect(await server.exited).toBe(0);

    const again = await spawnHttpServer(dataDir);
    for (const [index, sessionId] of sessions.entries()) {
      const stored = await readAll(again.url, sessionId);
      for (const [number, thought] of acknowledged[index] ?? []) expect(stored.get(number)).toBe(thought);
      // At most one call may have been cut off after it was written and before it was acknowledged.
      expect(stored.size - (acknowledged[index]?.size ?? 0)).toBeLessThanOrEqual(1);
    }
  });

  test("stops an idle server with connected clients immediately and cleanly", async () => {
    const server = await spawnHttpServer(tempDir());
    const session = await openLegacySession(server.url);
    const stream = await fetch(server.url, { headers: { ...session, Accept: "text/event-stream" } });
    server.child.kill("SIGTERM");
    expect(await allMessages(stream)).toEqual([]);
    expect(await server.exited).toBe(0);
    expect(server.stderr()).toContain("shutting down");
  });

  test("or a closed terminal (SIGHUP) stops the server cleanly", async () => {
    const server = await spawnHttpServer(tempDir());
    server.child.kill("SIGHUP");
    expect(await server.exited).toBe(0);
    expect(server.stderr()).toContain("shutting down");
  });

  test("sent twice stops the server without waiting", async () => {
    const server = await spawnHttpServer(tempDir());
    server.child.kill("SIGTERM");
    server.child.kill("SIGTERM");
    expect([0, 130]).toContain(await server.exited);
  });
});
