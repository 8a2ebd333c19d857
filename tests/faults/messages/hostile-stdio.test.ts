import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { connectRaw, eras, type RawClient, startThinking } from "../../support/raw-client.ts";
import { spawnServer } from "../../support/server-process.ts";
import { tempDir } from "../../support/temp-dir.ts";

const id = "hostile";

/** The expected error for one line: the operation's code, or the protocol's number. */
type Expectation = { id?: unknown; code: string | number; says: RegExp };
type Line = string | Buffer;
type Hostile = { name: string; line(client: RawClient, sessionId: string): Line } & Expectation;

const invalid = (says: RegExp): Expectation => ({ code: "INVALID_PAYLOAD", says });

/** Returns a thought with these fields, which must be refused. */
const thought = (name: string, fields: Record<string, unknown>, says: RegExp): Hostile => ({
  name,
  line: (client, sessionId) => client.line(id, "thought", { sessionId, thought: "hostile", ...fields }),
  ...invalid(says),
});

/** Returns a valid thought whose line is changed before it is sent. */
const changed = (name: string, change: (line: string) => Line, expected: Expectation): Hostile => ({
  name,
  line: (client, sessionId) => change(client.line(id, "thought", { sessionId, thought: "TEXT" })),
  ...expected,
});

const withId = (json: string) => (line: string) => line.replace('"id":"hostile"', `"id":${json}`);
const withText = (json: string) => (line: string) => line.replace('"TEXT"', json);

const hostiles: Hostile[] = [
  thought("number 0", { thoughtNumber: 0 }, /thoughtNumber must be at least 1/),
  thought("number -3", { thoughtNumber: -3 }, /thoughtNumber must be at least 1/),
  thought("number 1.5", { thoughtNumber: 1.5 }, /thoughtNumber must be a whole number/),
  thought("number 2^53", { thoughtNumber: 2 ** 53 }, /thoughtNumber/),
  thought("number 1,000,001", { thoughtNumber: 1_000_001 }, /thoughtNumber must be at most 1000000/),
  thought("a thought of 2 MiB", { thought: "x".repeat(2 * 1024 * 1024) }, /thought must be at most 1 MiB/),
  thought("a thought of 1 MiB and a byte", { thought: "é".repeat(524_288).concat("x") }, /at most 1 MiB/),
  thought("an empty thought", { thought: "" }, /thought must not be empty/),
  thought("no text at all", { thought: 5 }, /thought must be a string/),
  thought("a NUL in the text", { thought: "half\u0000" }, /NUL/),
  thought("branch ../../x", { branchId: "../../x", branchFromThought: 1 }, /branchId must be/),
  thought("branch ..", { branchId: "..", branchFromThought: 1 }, /branchId must be/),
  thought("branch __proto__", { branchId: "__proto__", branchFromThought: 1 }, /branchId must be/),
  thought("a branch of 65 letters", { branchId: "a".repeat(65), branchFromThought: 1 }, /branchId must be/),
  thought("an unknown field", { thoughtNumbr: 1 }, /thoughtNumber/),
  thought("a field named like a prototype", { args: { constructor: { x: 1 } } }, /constructor/),
  {
    name: "a title of 201 characters",
    line: (client) => client.line(id, "start_new", { title: "t".repeat(201) }),
    ...invalid(/itle must have at most 200 characters/),
  },
  {
    name: "a session that was never given out",
    line: (client) => client.line(id, "read_thoughts", { sessionId: "00000000-0000-4000-8000-000000000000" }),
    code: "SESSION_NOT_FOUND",
    says: /No session/,
  },
  changed("half a surrogate pair", withText('"\\ud800"'), invalid(/half of a Unicode surrogate pair/)),
  changed(
    "half a surrogate pair as a key",
    (line) => line.replace('"thought":', '"\\udfff":'),
    invalid(/half of a Unicode surrogate pair/),
  ),
  changed("JSON 65 deep", withText("[".repeat(64) + "]".repeat(64)), invalid(/nested deeper than 64 levels/)),
  changed(
    "JSON 100,000 deep",
    withText("[".repeat(100_000) + "]".repeat(100_000)),
    invalid(/nested deeper than 64 levels/),
  ),
  changed("a million opening brackets", withText("[".repeat(1_000_000)), {
    code: -32600,
    says: /nested deeper/,
  }),
  changed("an infinite number", withText("1e999"), invalid(/finite/)),
  changed("a batch", (line) => `[${line.trimEnd()}]\n`, { code: -32600, says: /batches are not supported/ }),
  changed("an 11 MB line", withText(`"${"x".repeat(11_000_000)}"`), {
    code: -32600,
    says: /exceeds the limit/,
  }),
  changed("an 11 MB line of nested arrays", withText("[".repeat(11_000_000)), {
    code: -32600,
    says: /exceeds the limit/,
  }),
  changed("invalid UTF-8", (line) => Buffer.from(line.replace("TEXT", "\u00ff"), "latin1"), {
    code: -32700,
    says: /not valid UTF-8/,
  }),
  changed("broken JSON", (line) => line.replace('"TEXT"', '"TEXT",,'), {
    code: -32700,
    says: /not valid JSON/,
  }),
  changed("a null id", withId("null"), { id: null, code: -32600, says: /id must be/ }),
  changed("an id of 2^53 + 1", withId("9007199254740993"), { id: null, code: -32600, says: /id must be/ }),
  changed("an id of 1e300", withId("1e300"), { id: null, code: -32600, says: /id must be/ }),
  changed("an id of 1.5", withId("1.5"), { id: null, code: -32600, says: /id must be/ }),
  changed("an object as id", withId('{"a":1}'), { id: null, code: -32600, says: /id must be/ }),
  changed("no version", (line) => line.replace('"jsonrpc":"2.0",', ""), { code: -32600, says: /jsonrpc/ }),
  changed("params as a list", (line) => line.replace(/"params":.*\}\n/, '"params":[1]}\n'), {
    code: -32602,
    says: /params must be an object/,
  }),
  changed("an unknown method", (line) => line.replace("tools/call", "tools/fall"), {
    code: -32601,
    says: /not found/i,
  }),
];

/** Returns the answer to a line. An answer without an ID must be the next message from the server. */
async function answerTo(client: RawClient, hostile: Hostile, line: Line) {
  const answer = client.server.expectAnswer(hostile.id === undefined ? id : hostile.id);
  client.server.sendRaw(line);
  const { result, error } = await answer;
  const body = error ?? JSON.parse(result.content[0].text).error;
  return {
    isError: error !== undefined || result.isError === true,
    code: body?.code,
    message: body?.message,
  };
}

describe.each(eras)("hostile lines to a %s connection", (era) => {
  test(`each of ${hostiles.length} is answered clearly and stores nothing, and the server keeps running`, async () => {
    const server = spawnServer(join(tempDir(), "data"));
    const client = await connectRaw(server, era);
    const sessionId = await startThinking(client);
    await client.call("thought", { sessionId, thought: "the only one" });

    for (const hostile of hostiles) {
      const answer = await answerTo(client, hostile, hostile.line(client, sessionId));
      expect(answer, hostile.name).toEqual({
        isError: true,
        code: hostile.code,
        message: expect.stringMatching(hostile.says),
      });
      expect(answer.message.length, hostile.name).toBeLessThan(600);
      const { session } = await client.call("get_state", { sessionId });
      expect(session, hostile.name).toMatchObject({ id: sessionId, thoughtCount: 1, branchCount: 0 });
    }
    expect((await client.call("list_sessions")).total).toBe(1);
    expect(server.strays).toEqual([]);
  });

  test("an ID can be any string, and is returned unchanged", async () => {
    const client = await connectRaw(spawnServer(join(tempDir(), "data")), era);
    for (const strange of ["", "__proto__", "0", "\u0000\n\u2028", "x".repeat(100_000)]) {
      const answer = client.server.expectAnswer(strange);
      client.server.sendRaw(client.line(strange, "get_state"));
      expect((await answer).result.isError).toBeUndefined();
    }
  });

  test("two requests with the same ID get two answers", async () => {
    const client = await connectRaw(spawnServer(join(tempDir(), "data")), era);
    const { server } = client;
    const since = server.lines.length;
    server.child.stdin.end(client.line("twin", "get_state") + client.line("twin", "help"));
    await server.exited;
    const ids = server.lines.slice(since).map((line) => JSON.parse(line).id);
    expect(ids).toEqual(["twin", "twin"]);
  });
});
