import { randomUUID } from "node:crypto";
import fc from "./fast-check.ts";
import { type Era, frame, paramsOf } from "./raw-client.ts";

const call = (args: Record<string, unknown>) => ({ name: "thoughtbox_gateway", arguments: args });

/** Returns one message of each kind, including a thought for a session that is ready for it. */
export const requestsFor = (sessionId: string): [method: string, params: Record<string, unknown>][] => [
  ["tools/list", {}],
  ["resources/read", { uri: "thoughtbox://cipher" }],
  ["tools/call", call({ operation: "get_state" })],
  ["tools/call", call({ operation: "start_new", title: "a title", tags: ["one", "two"] })],
  ["tools/call", call({ operation: "thought", thought: "S1|O|it works", sessionId })],
  ["tools/call", call({ operation: "session", subOperation: "search", query: "works", limit: 5, sessionId })],
];

const kinds = requestsFor("").length;

/** Pieces with a meaning to a parser, inserted where they do not belong. */
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

export type Mutation = { request: number; at: number; length: number; shard: string; copies: number };

export const mutation: fc.Arbitrary<Mutation> = fc.record({
  request: fc.nat({ max: kinds - 1 }),
  at: fc.nat(),
  length: fc.oneof(fc.constant(0), fc.nat({ max: 4 }), fc.nat({ max: 60 })),
  shard: fc.oneof(fc.constant(""), fc.constantFrom(...shards), fc.string({ unit: "binary", maxLength: 3 })),
  copies: fc.nat({ max: 3 }),
});

/** Returns a valid line with a piece removed and others inserted. The result stays a single line. */
export function mutate(
  era: Era,
  sessionId: string,
  { request, at, length, shard, copies }: Mutation,
): Buffer {
  const [method, params] = requestsFor(sessionId)[request] ?? ["ping", {}];
  const line = Buffer.from(frame(randomUUID(), method, paramsOf(era, params)).trimEnd());
  const place = at % line.length;
  const inserted = Buffer.from(shard.repeat(copies), at % 5 === 0 ? "latin1" : "utf8");
  const mutated = Buffer.concat([line.subarray(0, place), inserted, line.subarray(place + length)]);
  return Buffer.concat([mutated.filter((byte) => byte !== 0x0a), Buffer.from("\n")]);
}

/** Returns what JSON-RPC requires for a message: nothing, or an answer with this ID or an unreadable one. */
export function owed(line: Buffer): "nothing" | "unreadable" | { id: unknown } {
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
