import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connectRaw, type RawClient, startThinking } from "../../support/raw-client.ts";
import { spawnServer } from "../../support/server-process.ts";
import { tempDir } from "../../support/temp-dir.ts";

type Server = ReturnType<typeof listen>;

/** Starts a server and keeps every byte of its stdout. */
function listen(env: Record<string, string> = {}, dataDir = join(tempDir(), "data")) {
  const server = spawnServer(dataDir, { DISABLE_THOUGHT_LOGGING: "false", ...env });
  const chunks: Buffer[] = [];
  server.child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  const closed = once(server.child, "close");
  return { ...server, closed, bytes: () => Buffer.concat(chunks) };
}

/** Waits for the end. Every byte must belong to a JSON-RPC frame, and there must be some. */
async function expectOnlyFrames(server: Server): Promise<number | null> {
  if (server.child.stdin.writable) server.child.stdin.end();
  const [code] = await server.closed;
  const text = new TextDecoder("utf-8", { fatal: true }).decode(server.bytes());
  expect(text.endsWith("\n")).toBe(true);
  const lines = text.slice(0, -1).split("\n");
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) {
    const frame = JSON.parse(line);
    expect(frame.jsonrpc, line.slice(0, 200)).toBe("2.0");
    const isAnswer = "id" in frame && ("result" in frame || "error" in frame);
    expect(isAnswer || typeof frame.method === "string", line.slice(0, 200)).toBe(true);
  }
  return code;
}

async function work(server: Server, era: RawClient["era"] = "modern") {
  const client = await connectRaw(server, era);
  const sessionId = await startThinking(client);
  await client.call("thought", {
    sessionId,
    thought: "S1|O|line one\nline two \u001b[31mred\u2028 token=abc",
  });
  await client.call("thought", { sessionId, thought: "ends here", nextThoughtNeeded: false });
  await client.call("session", { subOperation: "search", sessionId, query: "line" });
  return { client, sessionId };
}

/** Returns options that run code inside the server as soon as the server reads its input. */
const whenListening = (code: string) => {
  const path = join(tempDir(), "preload.cjs");
  writeFileSync(path, `process.stdin.on("newListener", (name) => { if (name === "data") { ${code} } });`);
  return { NODE_OPTIONS: `--require ${path}` };
};

test.each(["legacy", "modern"] as const)(
  "stdout contains only frames during a %s conversation with thought logging",
  async (era) => {
    const server = listen();
    await work(server, era);
    expect(await expectOnlyFrames(server)).toBe(0);
    expect(server.stderr()).toContain("line one⏎line two");
  },
);

test("stdout contains only frames if the store fails on every call", async () => {
  const file = join(tempDir(), "file");
  writeFileSync(file, "no directory");
  const server = listen({}, file);
  const client = await connectRaw(server, "legacy");
  for (const operation of ["start_new", "list_sessions", "thought", "load_context"]) {
    await client.gateway(operation, operation === "load_context" ? { latest: true } : {});
  }
  expect(await expectOnlyFrames(server)).toBe(0);
});

test("stdout contains only frames if the input is not a protocol", async () => {
  const server = listen();
  server.sendRaw(Buffer.from(Array.from({ length: 5_000 }, (_, n) => (n * 7919) % 256)));
  server.sendRaw("\n\n\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n[]\n{}\n42\nnull\n");
  expect(await expectOnlyFrames(server)).toBe(0);
});

test("stdout contains only frames if libraries print and the runtime warns", async () => {
  const chatter = `setInterval(() => {
    console.log("chatter %d", 1); console.info("info"); process.stdout.write("raw");
    process.emitWarning("a warning"); console.error("error"); console.table([1]); console.dir({});
  }, 1).unref();`;
  const server = listen(whenListening(chatter));
  await work(server);
  expect(await expectOnlyFrames(server)).toBe(0);
  expect(server.stderr()).toContain("chatter 1");
  expect(server.stderr()).toContain("a warning");
});

test("stdout contains only frames if a bug ends the process during its answers", async () => {
  const bug = `if (globalThis.armed) return;
    globalThis.armed = true;
    process.stdin.on("data", (chunk) => { if (chunk.includes("now")) throw new Error("a bug"); });`;
  const server = listen(whenListening(bug));
  const { client } = await work(server);
  const lines = Array.from({ length: 50 }, (_, n) => client.line(`call-${n}`, "get_state"));
  server.sendRaw(lines.join("") + client.line("now", "get_state"));
  expect(await expectOnlyFrames(server)).toBe(1);
  expect(server.stderr()).toContain("a bug");
});

test.each(["SIGTERM", "SIGINT"] as const)(
  "stdout contains only frames after %s during large answers",
  async (signal) => {
    const server = listen();
    const { client, sessionId } = await work(server);
    await client.call("thought", { sessionId, thought: "x".repeat(50_000) });
    for (let n = 0; n < 100; n += 1) {
      server.sendRaw(client.line(`large-${n}`, "read_thoughts", { sessionId, last: 5, maxChars: 80_000 }));
    }
    await once(server.child.stdout, "data");
    server.child.kill(signal);
    expect(await expectOnlyFrames(server)).toBe(0);
  },
);

test("an unread stderr delays neither the answers nor the exit", async () => {
  const server = listen();
  server.child.stderr.pause();
  const { client, sessionId } = await work(server);
  const lines = Array.from({ length: 2_000 }, () =>
    client.call("thought", { sessionId, thought: "x".repeat(300) }),
  );
  await Promise.all(lines);
  expect(await expectOnlyFrames(server)).toBe(0);
});
