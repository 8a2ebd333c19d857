import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { forAll } from "../support/for-all.ts";
import { refusalWithCure } from "../support/replies/execute-recovery.ts";
import {
  backends,
  type Door,
  fewWays,
  isInProcess,
  shareTestApp,
  startThinking,
  type TestClient,
} from "../support/test-app.ts";
import { snapshotLedger } from "../support/views/ledger-snapshot.ts";

function nested(depth: number): unknown {
  let value: unknown = "core";
  for (let level = 0; level < depth; level += 1) value = { in: value };
  return value;
}

type Hostile = [what: string, args: Record<string, unknown>, message: RegExp];

const thoughts: Hostile[] = [
  ["number 0", { thoughtNumber: 0 }, /thoughtNumber must be at least 1, not 0/],
  ["number -3", { thoughtNumber: -3 }, /thoughtNumber must be at least 1, not -3/],
  ["number 1.5", { thoughtNumber: 1.5 }, /thoughtNumber must be a whole number, not 1\.5/],
  [
    "number 2^53",
    { thoughtNumber: 2 ** 53 },
    /^thought: thoughtNumber must be at most 1000000, not 9007199254740992\.$/,
  ],
  [
    "number -(2^53)",
    { thoughtNumber: -(2 ** 53) },
    /^thought: thoughtNumber must be at least 1, not -9007199254740992\.$/,
  ],
  ["number 1000001", { thoughtNumber: 1_000_001 }, /at most 1000000/],
  ["number as words", { thoughtNumber: "three" }, /thoughtNumber must be a number, not "three"/],
  ["a total of 0", { totalThoughts: 0 }, /totalThoughts must be at least 1/],
  ["a revision of 0", { revisesThought: 0 }, /revisesThought must be at least 1/],
  ["a fork from -1", { branchFromThought: -1 }, /branchFromThought must be at least 1/],
  ["branch __proto__", { branchFromThought: 1, branchId: "__proto__" }, /branchId must be 1–64 characters/],
  ["branch ..", { branchFromThought: 1, branchId: ".." }, /branchId must be 1–64 characters/],
  ["branch ../../x", { branchFromThought: 1, branchId: "../../x" }, /branchId must be 1–64 characters/],
  [
    "branch of 65 characters",
    { branchFromThought: 1, branchId: "b".repeat(65) },
    /branchId must be 1–64 characters/,
  ],
  ["an empty branch", { branchFromThought: 1, branchId: "" }, /branchId must be 1–64 characters/],
  [
    "branch with a capital letter",
    { branchFromThought: 1, branchId: "Alt" },
    /branchId must be 1–64 characters/,
  ],
  [
    "branch with a line break",
    { branchFromThought: 1, branchId: "alt\n" },
    /branchId must be 1–64 characters/,
  ],
  ["a hostile agent ID", { agentId: "../root" }, /agentId must be 1–64 characters/],
  ["an empty thought", { thought: "" }, /thought must not be empty\./],
  [
    "a thought of 2 MiB",
    { thought: "x".repeat(2 * 1024 * 1024) },
    /thought must be at most 1 MiB of UTF-8 \(it has 2097152 characters\)/,
  ],
  ["a thought of 1 MiB in characters, more in bytes", { thought: "é".repeat(1024 * 1024) }, /at most 1 MiB/],
  ["a NUL character", { thought: "before\0after" }, /NUL/],
  ["the key constructor", { constructor: { thought: "x" } }, /args\.constructor is not allowed as a key/],
  [
    "half a surrogate pair",
    { thought: "cut \ud83d" },
    /args\.thought contains half of a Unicode surrogate pair/,
  ],
  ["JSON of depth 65", { thought: nested(64) }, /nested deeper than 64 levels/],
];

/** Values that no client can send: JSON has no NaN, and no client nests this deep. */
const unsendable: Hostile[] = [
  ["number NaN", { thoughtNumber: Number.NaN }, /not a finite number/],
  ["JSON of depth 100,000", { thought: nested(100_000) }, /nested deeper than 64 levels/],
];

const openings: Hostile[] = [
  [
    "a title of 201 characters",
    { sessionTitle: "t".repeat(201) },
    /sessionTitle must have at most 200 characters/,
  ],
  ["an empty title", { title: "" }, /sessionTitle must not be empty/],
  ["33 tags", { tags: Array.from({ length: 33 }, (_, n) => `t${n}`) }, /tags must have at most 32 entries/],
  ["a tag of 81 characters", { tags: ["t".repeat(81)] }, /tags\[0\] must have at most 80 characters/],
  ["a description of 4,001 characters", { description: "d".repeat(4_001) }, /at most 4000 characters/],
  ["half a surrogate pair in a list written as text", { tags: '["\\ud800"]' }, /tags\[0\] contains half/],
  ["a NUL character in a title", { title: "a\0b" }, /NUL/],
  ["a NUL character in a list written as text", { tags: '["a\\u0000b"]' }, /NUL/],
  ["an unknown domain", { domain: "cooking" }, /domain must be one of debugging/],
];

const isServed = (backend: Door): boolean => !isInProcess(backend);

/** Makes a call that must be refused, and checks that the session is unchanged and can continue. */
async function leavesNoTrace(
  client: TestClient,
  refuse: (sessionId: string) => Promise<void>,
): Promise<void> {
  const sessionId = await startThinking(client);
  await client.call("thought", { sessionId, thought: "the first" });
  const before = await snapshotLedger(client, sessionId);
  await refuse(sessionId);
  expect(await snapshotLedger(client, sessionId)).toEqual(before);
  expect(await client.call("thought", { sessionId, thought: "goes on" })).toMatchObject({ thoughtNumber: 2 });
}

const refusesThought = (client: TestClient, args: Record<string, unknown>, message: RegExp) =>
  leavesNoTrace(client, async (sessionId) => {
    const error = await refusalWithCure(client, "thought", { sessionId, thought: "x", ...args });
    expect(error.code).toBe("INVALID_PAYLOAD");
    expect(error.message).toMatch(message);
    expect(error.message.length).toBeLessThan(1_000);
  });

describe.each(fewWays)("hostile input of a %s client on %s", (era, backend) => {
  const client = shareTestApp({ backend })[era]();

  test.each(thoughts)(
    "a thought with %s is refused with a clear message, and nothing is stored",
    async (_what, args, message) => refusesThought(client, args, message),
  );

  test("half a surrogate pair in a tag is refused with its position, and nothing is stored", async () => {
    const { total } = await client.call("list_sessions", { project: "*" });
    const args = { tags: ["ok", "\udc00"] };
    expect((await refusalWithCure(client, "start_new", args)).message).toMatch(/tags\[1\] contains half/);
    expect(await client.call("list_sessions", { project: "*" })).toMatchObject({ total });
  });

  test.each(openings)(
    "a session with %s is refused with a clear message, and nothing is stored",
    async (_what, args, message) => {
      const { total } = await client.call("list_sessions", { project: "*" });
      const error = await refusalWithCure(client, "start_new", args);
      expect(error.code).toBe("INVALID_PAYLOAD");
      expect(error.message).toMatch(message);
      expect(await client.call("list_sessions", { project: "*" })).toMatchObject({ total });
    },
  );

  test("the key __proto__ among the arguments has no effect", async () => {
    const args = JSON.parse('{"__proto__":{"thought":"y"}}');
    if (!isServed(backend)) return refusesThought(client, args, /args\.__proto__ is not allowed as a key/);
    // The SDK drops the field when it parses the message, so the thought is recorded without it.
    const sessionId = await startThinking(client);
    const recorded = await client.call("thought", { sessionId, thought: "x", ...args });
    expect(recorded).toEqual({ sessionId, thoughtNumber: 1 });
    expect((await client.call("read_thoughts", { sessionId })).thoughts).toMatchObject([{ thought: "x" }]);
  });

  test("the key __proto__ among nested arguments is refused by name, and nothing is stored", async () => {
    await leavesNoTrace(client, async (sessionId) => {
      const args = JSON.parse('{"__proto__":{"thought":"y"}}');
      const call = { operation: "thought", sessionId, thought: "x", args };
      expect(await refusalWithCure(client, "thoughtbox_gateway", call)).toMatchObject({
        code: "INVALID_PAYLOAD",
        message: expect.stringContaining("args.__proto__ is not allowed as a key"),
      });
    });
  });

  test("values exactly at the limits are accepted", async () => {
    const sessionId = await startThinking(client, {
      title: "t".repeat(200),
      tags: Array.from({ length: 32 }, (_, n) => `${n}`.padEnd(80, "t")),
      description: "d".repeat(4_000),
    });
    const thought = "é".repeat(512 * 1024);
    await client.call("thought", { sessionId, thought, agentId: "a".repeat(64) });
    await client.call("thought", { sessionId, thought: "x", branchFromThought: 1, branchId: "b".repeat(64) });
    const { path } = await client.call("session.export", { sessionId, destination: "limits" });
    const { nodes } = JSON.parse(readFileSync(path, "utf8"));
    expect(nodes[0].data.thought).toBe(thought);
  });

  test.each([
    "..",
    "../../etc/passwd",
    "x'; DROP TABLE sessions; --",
    "not-a-session",
    "\0",
    "a".repeat(500),
  ])("no operation accepts the session ID %j", async (sessionId) => {
    for (const name of ["get_state", "load_context", "read_thoughts", "thought", "session.verify"]) {
      const error = await refusalWithCure(client, name, { sessionId });
      expect(["SESSION_NOT_FOUND", "INVALID_PAYLOAD"]).toContain(error.code);
      expect(error.message.length).toBeLessThan(300);
    }
  });

  test("a field with two values, one of them nested 100,000 levels deep, is refused without a crash", async () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    const call = { operation: "start_new", description: 1, args: `{"description":${deep}}` };
    expect(await refusalWithCure(client, "thoughtbox_gateway", call)).toMatchObject({
      code: "INVALID_PAYLOAD",
    });
  });
});

const card = (more: Record<string, unknown>) => ({ title: "x", ...more });
const manyKeys = Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`key${n}`, 1]));

/** A card passed as an object is checked like the same card as JSON. */
const cards: [what: string, card: unknown, message: RegExp][] = [
  ["depth 100,000", card({ meta: nested(100_000) }), /args\.card\.meta.* nested deeper than 64/],
  ["depth 65", card({ meta: nested(64) }), /card\.meta.* nested deeper than 64/],
  ["10,001 keys", manyKeys, /card has more than 10,000 keys/],
  ["the key __proto__", JSON.parse('{"__proto__":{"a":1}}'), /card\.__proto__ is not allowed as a key/],
  ["the key constructor", '{"title":"x","meta":{"constructor":1}}', /card\.meta\.constructor is not allowed/],
  ["half a pair", card({ owner: "cut \ud83d" }), /card\.owner contains half/],
  ["half a pair as an escape", '{"title":"x","owner":"\\ud83d"}', /card\.owner contains half/],
  ["NUL", card({ tags: ["a\0b"] }), /card\.tags\[0\] contains a NUL/],
  ["lines with the key __proto__", "title: x\n__proto__: y", /card\.__proto__ is not allowed as a key/],
  ["meta as JSON", card({ meta: '{"a":{"prototype":1}}' }), /card\.meta\.a\.prototype is not allowed/],
  ["meta as JSON in lines", 'title: x\nmeta: {"constructor":1}', /card\.meta\.constructor is not allowed/],
  ["tags as JSON", card({ tags: '["\\ud83d"]' }), /card\.tags\[0\] contains half/],
];

describe.each(backends)("hostile input that only an in-process caller can send, on %s", (backend) => {
  const client = shareTestApp({ backend }).modern();

  test("a hostile card in any form is refused with the position of the problem, and nothing is stored", async () => {
    await forAll(
      cards,
      ([what]) => what,
      async ([, hostile, message]) => {
        for (const [name, field] of [
          ["think_card", "card"],
          ["think_pipeline", "frame"],
        ] as const) {
          const error = await client.refusal(name, { [field]: hostile });
          expect(error.code).toBe("INVALID_PAYLOAD");
          expect(error.message.replace("args.frame", "args.card")).toMatch(message);
        }
      },
    );
    expect(await client.call("graph_query", {})).toMatchObject({ nodes: [] });
  });

  test.each(unsendable)(
    "a thought with %s is refused with a clear message, and nothing is stored",
    async (_what, args, message) => refusesThought(client, args, message),
  );
});
