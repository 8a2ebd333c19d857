import { once } from "node:events";
import { expect, test } from "vitest";
import { paramsOf } from "../support/raw-client.ts";
import { type ServerProcess, spawnServer } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const preload = new URL("../support/processor-time/report-longest-piece.mjs", import.meta.url).href;
const longestAllowedMs = 200;
const attempts = 3;

async function startWatched(): Promise<ServerProcess> {
  const server = spawnServer(tempDir(), {}, ([node = "", ...args]) => [node, "--import", preload, ...args]);
  await server.request("tools/call", paramsOf("modern", { name: "start_new", arguments: {} }));
  await longestPiece(server);
  return server;
}

async function longestPiece({ child }: ServerProcess): Promise<number> {
  child.kill("SIGUSR2");
  for (;;) {
    const [chunk] = (await once(child.stderr, "data")) as [Buffer];
    const told = /longest piece: ([\d.]+) ms/.exec(String(chunk))?.[1];
    if (told !== undefined) return Number(told);
  }
}

const many = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index));
const fields = (count: number) => Object.fromEntries(many(count, (index) => [`field-${index}`, 1]));
const call = (name: string, args: unknown) => ({ method: "tools/call", params: { name, arguments: args } });

const at = "2026-11-15T12:00:00.000Z";
const exportOf = (count: number): string =>
  JSON.stringify({
    version: "1.0",
    session: {
      ...{ id: "3fa85f64-5717-4562-b3fc-2c963f66afa6", title: "Long", tags: [], status: "active" },
      ...{ createdAt: at, updatedAt: at, lastAccessedAt: at, thoughtCount: count, branchCount: 0 },
    },
    nodes: many(count, (n) => ({
      data: {
        thought: `t${n}`,
        thoughtNumber: n + 1,
        totalThoughts: count,
        nextThoughtNeeded: true,
        timestamp: at,
      },
    })),
  });

const messages: [string, { method: string; params: Record<string, unknown> }][] = [
  ["184,000 unknown fields", call("thought", fields(184_000))],
  [
    "184,000 fields for the gateway",
    call("thoughtbox_gateway", { operation: "thought", args: fields(184_000) }),
  ],
  ["a list of 1,000,000 wrong entries", call("start_new", { tags: many(1_000_000, () => 1) })],
  ["a list of 1,000,000 lists", call("start_new", { tags: many(1_000_000, () => []) })],
  ["a free object with 150,000 keys", call("notes_commit", { content: "x", meta: fields(150_000) })],
  ["an operation name of 4 MB", call("x".repeat(4_000_000), {})],
  ["a list written as 4 MB of JSON text", call("start_new", { tags: `[${"1,".repeat(1_900_000)}1]` })],
  ["blanks instead of JSON text", call("start_new", { tags: " ".repeat(4_000_000) })],
  ["150,000 operations on a graph", call("graph_apply", { ops: many(150_000, () => ({ op: "x" })) })],
  ["an export of 24,000 thoughts", call("session_import", { content: exportOf(24_000) })],
  ["a topic of 4 MB", call("help", { topic: "help ".repeat(800_000) })],
  ["an unknown method of 4 MB", { method: "m".repeat(4_000_000), params: {} }],
  [
    "a completion of 4 MB",
    {
      method: "completion/complete",
      params: {
        ref: { type: "ref/prompt", name: "x" },
        argument: { name: "x", value: "y".repeat(4_000_000) },
      },
    },
  ],
];

test("no message blocks the process for more than 200 ms of processor time", async () => {
  const server = await startWatched();
  const tooLong: unknown[] = [];
  for (const [what, { method, params }] of messages) {
    let ms = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < attempts && ms > longestAllowedMs; attempt += 1) {
      const answer = await server.request(method, paramsOf("modern", params));
      expect(answer.result ?? answer.error, what).toBeDefined();
      expect(JSON.stringify(answer).length, what).toBeLessThan(100_000);
      ms = Math.min(ms, await longestPiece(server));
    }
    if (ms > longestAllowedMs) tooLong.push({ what, ms: Math.round(ms) });
  }
  expect(tooLong).toEqual([]);
});

test("SIGTERM ends the server while it receives the largest messages", async () => {
  const server = spawnServer(tempDir());
  await server.request("tools/call", paramsOf("modern", { name: "start_new", arguments: {} }));
  for (const [, { method, params }] of messages)
    void server.request(method, paramsOf("modern", params)).catch(() => {});
  server.child.kill("SIGTERM");
  expect(await server.exited).toEqual([0, null]);
});

test.each([
  ["a batch of 50,000 requests", `[${many(50_000, (index) => `{"id":${index}}`).join(",")}]`],
  ["a batch of 1,000,000 lists", `[${many(1_000_000, () => "[]").join(",")}]`],
])("%s gets one answer", async (_what, batch) => {
  const server = spawnServer(tempDir());
  const answer = server.expectAnswer(null);
  server.sendRaw(`${batch}\n`);
  expect(await answer).toMatchObject({ error: { message: expect.stringContaining("batches") } });
  expect(server.lines).toHaveLength(1);
});

test("a subscription needs an existing resource and refuses long addresses", async () => {
  const server = spawnServer(tempDir());
  await server.initialize();
  const subscribe = (uri: string) => server.request("resources/subscribe", { uri });
  const { sessionId } = await server.gateway({ operation: "start_new" });
  expect(await subscribe(`thoughtbox://sessions/${sessionId}`)).toHaveProperty("result");
  expect(
    await subscribe(`thoughtbox://sessions/${"0".repeat(8)}-0000-4000-8000-000000000000`),
  ).toHaveProperty("error");
  expect(await subscribe("thoughtbox://elsewhere")).toHaveProperty("error");
  expect(await subscribe(`thoughtbox://${"x".repeat(2_000)}`)).toMatchObject({
    error: { code: -32602, message: "a resource URI can have at most 2000 characters" },
  });
});
