import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";

/** A process that prints too much, is slow, and never ends by itself. */
const serverSource = `
  import { Server } from "@modelcontextprotocol/server";
  import { serveStdio } from "@modelcontextprotocol/server/stdio";
  import { setTimeout as delay } from "node:timers/promises";
  import { claimStdout } from "./serve-stdio.ts";
  import { createStdioTransport } from "./stdio-transport.ts";

  setInterval(() => {}, 1000);
  const output = claimStdout();
  console.log("chatter at the start");
  const transport = createStdioTransport({ input: process.stdin, output, onEnd: () => process.exit(0) });
  serveStdio(() => {
    const server = new Server({ name: "pipes", version: "0" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/call", async ({ params }) => {
      console.log("chatter during a call");
      await delay(params.arguments.ms);
      return { content: [{ type: "text", text: "x".repeat(params.arguments.size ?? 1) }] };
    });
    return server;
  }, { transport });
`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "thoughtbox-pipes-"));
  await build({
    stdin: { contents: serverSource, resolveDir: import.meta.dirname, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: join(folder, "server.mjs"),
  });
});

afterAll(() => rm(folder, { recursive: true }));

const spawnServer = (): ChildProcessWithoutNullStreams =>
  spawn(process.execPath, [join(folder, "server.mjs")]);

const line = (message: object): string => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
const initialize = line({
  id: "init",
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "0" } },
});
const call = (id: number, args: object): string =>
  line({ id, method: "tools/call", params: { name: "wait", arguments: args } });

/** Sends everything, ends the input immediately, and reads all output until the process exits. */
async function converse(input: string) {
  const server = spawnServer();
  server.stdin.end(input);
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(server.stdout),
    text(server.stderr),
    once(server, "exit"),
  ]);
  const frames = stdout
    .split("\n")
    .slice(0, -1)
    .map((frame) => JSON.parse(frame));
  return { frames, stderr, exitCode };
}

test("answers requests in flight completely when the input ends, and writes only frames to stdout", async () => {
  const { frames, stderr, exitCode } = await converse(
    initialize + call(1, { ms: 100, size: 3e6 }) + call(2, { ms: 0 }),
  );
  expect(frames.map(({ id, result }) => [id, result !== undefined])).toEqual([
    ["init", true],
    [2, true],
    [1, true],
  ]);
  expect(stderr).toContain("chatter at the start");
  expect(stderr).toContain("chatter during a call");
  expect(exitCode).toBe(0);
});

test("refuses a call that outlives the connection, and exits", async () => {
  const { frames, exitCode } = await converse(initialize + call(1, { ms: 600_000 }));
  expect(frames).toMatchObject([{ id: "init" }, { id: 1, error: { code: -32603 } }]);
  expect(exitCode).toBe(0);
});

test("answers every request exactly once among hostile messages", async () => {
  const hostile = [
    (id: number) => line({ id, method: "ping" }),
    (id: number) => line({ id, method: "ping", unknown: true }),
    (id: number) => line({ id, method: "nobody/knows" }),
    (id: number) => line({ id, method: "ping", params: [] }),
    (id: number) => line({ id, method: "ping", params: { _meta: 1 } }),
    (id: number) => line({ id, method: "ping", params: { text: "\ud800" } }),
    (id: number) => `{"id":${id},"method":"ping","params":{"n":1e999},"jsonrpc":"2.0"}\r\n`,
    (id: number) => `[{"id":${id},"method":"ping"}]\n`,
    (id: number) => `{"id":${id},"method":"ping",}\n`,
    (id: number) => `{"id":${id},"method":"ping","params":"\n`,
    (id: number) => call(id, { ms: id % 5 }),
  ];
  const ids = Array.from({ length: 2200 }, (_, id) => id);
  const oversize = line({ method: "ping", params: { text: "x".repeat(5e6) }, id: ids.length });
  const lines = ids.map((id) => hostile[id % hostile.length]?.(id));
  const { frames } = await converse(initialize + lines.join("") + oversize);
  const answered = frames.map(({ id }) => id).filter((id) => id !== "init");
  expect(answered.sort((a, b) => a - b)).toEqual([...ids, ids.length]);
});

test("exits quietly when the client disconnects", async () => {
  const server = spawnServer();
  server.stdin.write(initialize);
  await once(server.stdout, "data");
  server.stdout.destroy();
  server.stdin.on("error", () => {});
  server.stdin.write(call(1, { ms: 0 }));
  const [stderr, [exitCode]] = await Promise.all([text(server.stderr), once(server, "exit")]);
  expect(exitCode).toBe(0);
  expect(stderr).not.toContain("EPIPE");
});
