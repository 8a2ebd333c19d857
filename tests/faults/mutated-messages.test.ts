import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { connectRaw, type Era, eras, frame, paramsOf } from "../support/raw-client.ts";
import { spawnServer } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const mutations = 2_000;
const call = (args: Record<string, unknown>) => ({ name: "thoughtbox_gateway", arguments: args });

const requests: [method: string, params: Record<string, unknown>][] = [
  ["tools/list", {}],
  ["resources/read", { uri: "thoughtbox://cipher" }],
  ["tools/call", call({ operation: "get_state" })],
  ["tools/call", call({ operation: "start_new", title: "a title", tags: ["one", "two"] })],
  [
    "tools/call",
    call({ operation: "thought", sessionTitle: "opened by a thought", thought: "S1|O|it works" }),
  ],
  ["tools/call", call({ operation: "session", subOperation: "search", query: "works", limit: 5 })],
];

/** Pieces that mean something to a parser, put where they do not belong. */
const shards = [
  '"',
  "\\",
  "{",
  "}",
  "[",
  "]",
  ":",
  ",",
  "null",
  "-1",
  "1e999",
  '"id"',
  "\\ud800",
  "\u0000",
  "é",
  '"__proto__":{}',
];

type Mutation = { request: number; at: number; length: number; shard: string; copies: number };

const mutation: fc.Arbitrary<Mutation> = fc.record({
  request: fc.nat({ max: requests.length - 1 }),
  at: fc.nat(),
  length: fc.oneof(fc.constant(0), fc.nat({ max: 4 }), fc.nat({ max: 60 })),
  shard: fc.oneof(fc.constant(""), fc.constantFrom(...shards), fc.string({ unit: "binary", maxLength: 3 })),
  copies: fc.nat({ max: 3 }),
});

/** A good line with a piece cut out and others put in; still one line. */
function mutate(era: Era, id: string, { request, at, length, shard, copies }: Mutation): Buffer {
  const [method, params] = requests[request] ?? ["ping", {}];
  const line = Buffer.from(frame(id, method, paramsOf(era, params)).trimEnd());
  const place = at % line.length;
  const inserted = Buffer.from(shard.repeat(copies), at % 5 === 0 ? "latin1" : "utf8");
  const mutated = Buffer.concat([line.subarray(0, place), inserted, line.subarray(place + length)]);
  return Buffer.concat([mutated.filter((byte) => byte !== 0x0a), Buffer.from("\n")]);
}

/** What JSON-RPC owes such a line: nothing, an answer with this id, or an answer whose id may be unreadable. */
function owed(line: Buffer): "nothing" | "unreadable" | { id: unknown } {
  let message: unknown;
  try {
    message = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line));
  } catch {
    return line.toString("latin1").trim() === "" ? "nothing" : "unreadable";
  }
  if (typeof message !== "object" || message === null || Array.isArray(message)) return "unreadable";
  const { id, method, result, error } = message as Record<string, unknown>;
  if (id === undefined && typeof method === "string") return "nothing";
  if (method === undefined && (result !== undefined || error !== undefined)) return "nothing";
  const usable = typeof id === "string" || Number.isSafeInteger(id);
  return usable ? { id } : "unreadable";
}

function countEach(values: unknown[]): Map<unknown, number> {
  const counts = new Map<unknown, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

describe.each(eras)("mutated messages to a %s connection", (era) => {
  test(`of ${mutations} mutations every request is answered exactly once, and the server lives on`, async () => {
    const server = spawnServer(join(tempDir(), "data"));
    const client = await connectRaw(server, era);
    await client.call("get_state");
    const since = server.lines.length;
    const seed = Date.now();
    const lines = fc
      .sample(mutation, { numRuns: mutations, seed })
      .map((one) => mutate(era, randomUUID(), one));
    server.sendRaw(Buffer.concat(lines));
    const alive = server.expectAnswer("alive");
    server.sendRaw(client.line("alive", "get_state"));
    expect((await alive).result.structuredContent.stage).toBeDefined();
    server.child.stdin.end();
    const [code] = await once(server.child, "close");
    expect(code).toBe(0);

    const answers = server.lines
      .slice(since)
      .map((line) => JSON.parse(line))
      .filter((message) => message.method === undefined && message.id !== "alive");
    const debts = lines.map(owed);
    const named = debts.flatMap((debt) => (typeof debt === "object" ? [debt.id] : []));
    // A cut can leave two lines with one id; the sum of all answers shows that none came twice.
    const [due, given] = [countEach(named), countEach(answers.map(({ id }) => id))];
    const missing = named.filter((id) => (given.get(id) ?? 0) < (due.get(id) ?? 0));
    expect(missing, `seed ${seed}`).toEqual([]);
    expect(answers.length, `seed ${seed}`).toBe(debts.filter((debt) => debt !== "nothing").length);
    expect(Math.min(named.length, debts.filter((debt) => debt === "unreadable").length)).toBeGreaterThan(100);
  });
});
