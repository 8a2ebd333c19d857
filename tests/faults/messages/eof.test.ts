import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openBareApp } from "../../support/bare-app.ts";
import { openRaw } from "../../support/disk/raw-database.ts";
import { connectRaw, eras, type RawClient, startThinking } from "../../support/raw-client.ts";
import { type ServerProcess, spawnServer } from "../../support/server-process.ts";
import { tempDir } from "../../support/temp-dir.ts";

type Frame = { id?: unknown; result?: any; error?: { code: number; message: string } };

/** Returns how the process ended, and its output after the first `since` lines. */
async function ending(server: ServerProcess, since = 0) {
  const [code, signal] = await once(server.child, "close");
  const frames: Frame[] = server.lines.slice(since).map((line) => JSON.parse(line));
  return { code, signal, frames };
}

const ids = Array.from({ length: 50 }, (_, n) => `last-${n}`);

const lastWords = (client: RawClient, sessionId: string) =>
  ids.map((id) => client.line(id, "thought", { sessionId, thought: `the thought of ${id}` })).join("");

/** Returns the thoughts that the next process finds, by number. */
async function storedThoughts(dataDir: string, sessionId: string): Promise<Map<number, string>> {
  const { client, close } = openBareApp("fs", dataDir);
  onTestFinished(close);
  expect(await client.call("session.verify", { sessionId })).toMatchObject({ valid: true });
  const { thoughts } = await client.call("read_thoughts", { sessionId, last: 500 });
  return new Map(thoughts.map(({ thoughtNumber, thought }: any) => [thoughtNumber, thought]));
}

describe.each(eras)("the end of a %s connection", (era) => {
  test("calls in progress are answered and durable, and the process exits with 0", async () => {
    const dataDir = join(tempDir(), "data");
    const server = spawnServer(dataDir);
    const client = await connectRaw(server, era);
    const sessionId = await startThinking(client);
    const since = server.lines.length;
    server.child.stdin.end(lastWords(client, sessionId));
    const { code, frames } = await ending(server, since);
    expect(code).toBe(0);
    expect(frames.map(({ id }) => id).sort()).toEqual([...ids].sort());
    const stored = await storedThoughts(dataDir, sessionId);
    for (const { id, result } of frames) {
      expect(stored.get(result.structuredContent.thoughtNumber)).toBe(`the thought of ${id}`);
    }
    expect(stored.size).toBe(ids.length);
  });

  test("a last line without a newline is answered too", async () => {
    const server = spawnServer(join(tempDir(), "data"));
    const client = await connectRaw(server, era);
    const since = server.lines.length;
    server.child.stdin.end(client.line("unfinished", "get_state").trimEnd());
    const { code, frames } = await ending(server, since);
    expect([code, frames.map(({ id }) => id)]).toEqual([0, ["unfinished"]]);
  });

  test.each(["SIGTERM", "SIGINT"] as const)(
    "after %s, every answered call is durable, and the process exits with 0",
    async (signal) => {
      const dataDir = join(tempDir(), "data");
      const server = spawnServer(dataDir);
      const client = await connectRaw(server, era);
      const sessionId = await startThinking(client);
      const since = server.lines.length;
      server.child.stdin.write(lastWords(client, sessionId));
      await once(server.child.stdout, "data");
      server.child.kill(signal);
      const { code, frames } = await ending(server, since);
      expect(code).toBe(0);
      const done = frames.filter(({ result }) => result !== undefined);
      expect(done.length).toBeGreaterThan(0);
      expect(new Set(frames.map(({ id }) => id)).size).toBe(frames.length);
      const stored = await storedThoughts(dataDir, sessionId);
      for (const { id, result } of done) {
        expect(stored.get(result.structuredContent.thoughtNumber)).toBe(`the thought of ${id}`);
      }
    },
  );

  test.each(["end of input", "SIGTERM"] as const)(
    "a call that waits for a lock is refused at %s, and the process does not wait for it",
    { timeout: 10_000 },
    async (how) => {
      const dataDir = join(tempDir(), "data");
      const server = spawnServer(dataDir);
      const client = await connectRaw(server, era);
      const sessionId = await startThinking(client);
      const since = server.lines.length;
      const other = openRaw(dataDir);
      other.exec("BEGIN IMMEDIATE");
      server.sendRaw(client.line("waiting", "thought", { sessionId, thought: "never acknowledged" }));
      server.sendRaw(client.line("reading", "read_thoughts", { sessionId }));
      await server.expectAnswer("reading");
      if (how === "SIGTERM") server.child.kill("SIGTERM");
      else server.child.stdin.end();
      const { code, frames } = await ending(server, since);
      expect(code).toBe(0);
      expect(frames.find(({ id }) => id === "waiting")?.error?.message).toContain("closed before");
      other.exec("COMMIT");
      expect((await storedThoughts(dataDir, sessionId)).size).toBe(0);
    },
  );
});

test.each(["end of input", "SIGTERM", "SIGINT"] as const)(
  "an idle server exits with 0 at %s",
  async (how) => {
    const server = spawnServer(join(tempDir(), "data"));
    await connectRaw(server, "legacy");
    if (how === "end of input") server.child.stdin.end();
    else server.child.kill(how);
    expect(await ending(server)).toMatchObject({ code: 0, signal: null });
  },
);
