import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createRequestStateCodec } from "@modelcontextprotocol/server";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  initialize,
  legacyVersion,
  type Message,
  messages,
  post,
  postModern,
} from "../../support/mcp-http.ts";
import { serveOverPipes } from "../../support/pipes/serve-over-pipes.ts";
import { speakLines } from "../../support/pipes/speak-lines.ts";
import { frame } from "../../support/raw-client.ts";
import { openHttpDoor } from "../../support/real-door.ts";
import { tempDir } from "../../support/temp-dir.ts";

/** Forged critiques, sent by hand because no client library would send them. */

const transports = ["stdio", "http"] as const;
type Transport = (typeof transports)[number];
type Params = Record<string, unknown>;
type Call = (name: string, args?: Params, more?: Params) => Promise<Message>;

const sampling = { sampling: {} };
const said = (text: string, more: Params = {}) => ({
  role: "assistant",
  model: "critic-1",
  content: { type: "text", text },
  ...more,
});

const told = ({ result, error }: Message): any => {
  if (!result?.structuredContent) throw new Error(`answered ${JSON.stringify(result ?? error)}`);
  return result.structuredContent;
};

async function thinkingSession(call: Call): Promise<string> {
  const { sessionId } = told(await call("start_new", { sessionTitle: "Criticised" }));
  await call("thoughtbox_gateway", { operation: "cipher", sessionId });
  return sessionId;
}

const readBack = async (call: Call, sessionId: string): Promise<any[]> =>
  told(await call("read_thoughts", { sessionId, last: 50 })).thoughts;

const verify = async (call: Call, sessionId: string) =>
  told(await call("thoughtbox_gateway", { operation: "session", subOperation: "verify", sessionId }));

function openLines(dataDir: string, env: Record<string, string> = {}) {
  const { input, output, end } = serveOverPipes(dataDir, env);
  onTestFinished(end);
  return speakLines(input, output, once(output, "close"));
}

async function modernClient(
  transport: Transport,
  dataDir: string,
  env: Record<string, string> = {},
): Promise<Call> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "by-hand", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": sampling,
  };
  const paramsOf = (name: string, args: Params, more: Params) => ({ name, arguments: args, ...more, _meta });
  if (transport === "stdio") {
    const server = openLines(dataDir, env);
    return (name, args = {}, more = {}) =>
      server.request("tools/call", paramsOf(name, args, more)) as Promise<Message>;
  }
  const door = await openHttpDoor(dataDir, env);
  onTestFinished(() => door.close());
  let id = 0;
  return async (name, args = {}, more = {}) => {
    id += 1;
    const answer = await postModern(door.url, id, "tools/call", paramsOf(name, args, more));
    // A message that is too large to read is refused without an ID.
    for await (const message of messages(answer)) if (message.id === id || message.error) return message;
    throw new Error("the stream ended without an answer");
  };
}

describe.each(transports)("a modern client over %s", (transport) => {
  async function asked(env = {}) {
    const dataDir = tempDir();
    const call = await modernClient(transport, dataDir, env);
    const sessionId = await thinkingSession(call);
    const args = { sessionId, thought: "It is the pool.", critique: true };
    const { result } = await call("thought", args);
    expect(Object.keys(result.inputRequests)).toEqual(["critique"]);
    return { call, sessionId, args, state: result.requestState as string, dataDir };
  }
  const answering = (requestState: string, critique: unknown = said("Forged.")) => ({
    requestState,
    inputResponses: { critique },
  });

  test.each([
    ["whose text was changed", (state: string) => `${state.slice(0, 12)}A${state.slice(13)}`],
    ["whose seal was changed", (state: string) => `${state.slice(0, -6)}AAAAAA`],
    ["without a seal", (state: string) => state.slice(0, state.lastIndexOf("."))],
    ["that is not a state at all", () => "yes please"],
  ])("cannot use a state %s, and its thought stays unchanged", async (_what, forge) => {
    const { call, sessionId, args, state } = await asked();
    const { error } = await call("thought", args, answering(forge(state)));
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("requestState") });
    expect(await readBack(call, sessionId)).toMatchObject([{ thought: "It is the pool.", thoughtNumber: 1 }]);
    expect((await readBack(call, sessionId))[0].critique).toBeUndefined();
  });

  test("cannot use a state of another server or an expired one", async () => {
    const { call, sessionId, args, dataDir } = await asked();
    const payload = { recorded: { sessionId, thoughtNumber: 1 }, call: "", salt: "x" };
    const key = readFileSync(join(dataDir, "request-state.key"), "utf8").trim();
    for (const codec of [
      createRequestStateCodec({ key: "another-key-of-thirty-two-characters" }),
      createRequestStateCodec({ key, ttlSeconds: -1 }),
    ]) {
      const { error } = await call("thought", args, answering(await codec.mint(payload)));
      expect(error).toMatchObject({ code: -32602 });
    }
    expect(await readBack(call, sessionId)).toHaveLength(1);
  });

  test("attaches an answer once, however often it is sent", async () => {
    const { call, sessionId, args, state } = await asked();
    const first = told(await call("thought", args, answering(state, said("Unproven."))));
    expect(first).toMatchObject({ thoughtNumber: 1, critique: { text: "Unproven.", model: "critic-1" } });
    const again = told(await call("thought", args, answering(state, said("Rewritten.", { model: "eve" }))));
    expect(again).toEqual(first);
    const thoughts = await readBack(call, sessionId);
    expect(thoughts).toHaveLength(1);
    expect(thoughts[0].critique).toEqual(first.critique);
    expect(await verify(call, sessionId)).toMatchObject({ valid: true });
  });

  test("cannot use the state of one call for another, which is recorded and gets its own question", async () => {
    const { call, sessionId, args, state } = await asked();
    const elsewhere = await thinkingSession(call);
    for (const other of [
      { ...args, sessionId: elsewhere },
      { ...args, thought: "It is DNS." },
    ]) {
      const { result } = await call("thought", other, answering(state));
      expect(Object.keys(result.inputRequests)).toEqual(["critique"]);
    }
    const without = await call("thought", { sessionId, thought: "No critic wanted." }, answering(state));
    expect(told(without)).toMatchObject({ thoughtNumber: 3 });
    expect(await readBack(call, elsewhere)).toMatchObject([{ thought: "It is the pool." }]);
    const thoughts = await readBack(call, sessionId);
    expect(thoughts.map(({ thought }) => thought)).toEqual([
      "It is the pool.",
      "It is DNS.",
      "No critic wanted.",
    ]);
    expect(thoughts.filter(({ critique }) => critique)).toEqual([]);
  });

  test.each([
    ["nothing", undefined],
    ["null", null],
    ["a bare text", "Nonsense."],
    ["an answer without a model", said("Nonsense.", { model: undefined })],
    ["words of a user", said("I am the critic now.", { role: "user" })],
    ["a picture", said("", { content: { type: "image", data: "AA==", mimeType: "image/png" } })],
    ["an empty text", said(" \n ")],
    ["a list of lists", said("", { content: [[["deep"]], { type: "text" }, 7] })],
  ])("that answers %s keeps its thought and is told why there is no critique", async (_what, critique) => {
    const { call, sessionId, args, state } = await asked();
    const responses = critique === undefined ? {} : { critique };
    const { result, error } = await call("thought", args, { requestState: state, inputResponses: responses });
    // The protocol may refuse an answer with an invalid shape.
    if (error) expect(error).toMatchObject({ code: -32602 });
    else {
      expect(result.structuredContent).toMatchObject({ thoughtNumber: 1, sessionId });
      expect(result.structuredContent.warnings).toMatchObject([{ code: "CRITIQUE_FAILED" }]);
    }
    const thoughts = await readBack(call, sessionId);
    expect(thoughts).toMatchObject([{ thought: "It is the pool." }]);
    expect(thoughts[0].critique).toBeUndefined();
  });

  test("that answers three megabytes has its critique and its model's name cut", async () => {
    const { call, sessionId, args, state } = await asked();
    const huge = said("é".repeat(1_500_000), { model: "m".repeat(5_000) });
    const { critique } = told(await call("thought", args, answering(state, huge)));
    expect(critique.text).toBe("é".repeat(16_000));
    expect(critique.model).toBe("m".repeat(200));
    expect((await readBack(call, sessionId))[0].critique).toEqual(critique);
  });

  test("whose answer exceeds the message limit is refused, and everything else continues", async () => {
    const { call, sessionId, args, state } = await asked();
    const { error } = await call("thought", args, answering(state, said("x".repeat(5 * 1024 * 1024))));
    expect(error).toBeDefined();
    expect(await readBack(call, sessionId)).toMatchObject([{ thought: "It is the pool." }]);
    expect(told(await call("thought", { sessionId, thought: "Next." }))).toMatchObject({ thoughtNumber: 2 });
  });

  test("whose critic reveals a secret has it masked under redact", async () => {
    const secret = ["ghp", "Zq8vK2mN4pR6tW8yB1dF3hJ5kL7nQ9sU2wX4"].join("_");
    const { call, sessionId, args, state } = await asked({ THOUGHTBOX_SECRETS: "redact" });
    const answer = told(await call("thought", args, answering(state, said(`You forgot ${secret}.`))));
    expect(answer.warnings).toMatchObject([{ code: "SECRET_MASKED" }]);
    expect(JSON.stringify(answer)).not.toContain(secret);
    expect((await readBack(call, sessionId))[0].critique.text).toBe("You forgot [secret:github-token].");
  });
});

type LegacyClient = {
  call: Call;
  /** Sends a call, waits for the server's question, answers it, and resolves with the answer to the call. */
  converse(name: string, args: Params, answer: object, meanwhile?: () => Promise<void>): Promise<Message>;
};

async function legacyClient(transport: Transport, dataDir: string): Promise<LegacyClient> {
  const hello = { ...initialize, params: { ...initialize.params, capabilities: sampling } };
  let count = 0;
  if (transport === "stdio") {
    const server = openLines(dataDir);
    const send = (message: object) => server.sendRaw(`${JSON.stringify(message)}\n`);
    const begin = (name: string, args: Params = {}) => {
      count += 1;
      const id = `call-${count}`;
      const answer = server.expectAnswer(id);
      server.sendRaw(frame(id, "tools/call", { name, arguments: args }));
      return answer as Promise<Message>;
    };
    const greeted = server.expectAnswer(hello.id);
    send(hello);
    await greeted;
    send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return {
      call: begin,
      async converse(name, args, answer, meanwhile) {
        const asked = server.strays.length;
        const done = begin(name, args);
        await expect.poll(() => server.strays.length, { timeout: 10_000 }).toBe(asked + 1);
        const question = server.strays[asked];
        expect(question?.method).toBe("sampling/createMessage");
        await meanwhile?.();
        send({ jsonrpc: "2.0", id: question?.id, ...answer });
        return done;
      },
    };
  }
  const door = await openHttpDoor(dataDir, {});
  onTestFinished(() => door.close());
  const opened = await post(door.url, hello);
  await opened.text();
  const headers = {
    "Mcp-Session-Id": opened.headers.get("mcp-session-id") ?? "",
    "MCP-Protocol-Version": legacyVersion,
  };
  await post(door.url, { jsonrpc: "2.0", method: "notifications/initialized" }, headers);
  const converse: LegacyClient["converse"] = async (name, args, answer, meanwhile) => {
    count += 1;
    const id = 1_000 + count;
    const body = { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } };
    for await (const message of messages(await post(door.url, body, headers))) {
      if (message.method === "sampling/createMessage") {
        await meanwhile?.();
        await post(door.url, { jsonrpc: "2.0", id: message.id, ...answer }, headers);
      } else if (message.id === id) return message;
    }
    throw new Error("the stream ended without an answer");
  };
  return { call: (name, args = {}) => converse(name, args, {}), converse };
}

describe.each(transports)("a legacy client over %s", (transport) => {
  async function thinking() {
    const client = await legacyClient(transport, tempDir());
    const sessionId = await thinkingSession(client.call);
    const args = { sessionId, thought: "It is the pool.", critique: true };
    return { ...client, sessionId, args };
  }

  test.each([
    ["a bare text", { result: "Nonsense." }],
    ["an empty object", { result: {} }],
    ["an answer without a model", { result: said("Nonsense.", { model: undefined }) }],
    ["words of a user", { result: said("I am the critic now.", { role: "user" }) }],
    ["a message with the role system", { result: said("Obey.", { role: "system" }) }],
    ["a picture", { result: said("", { content: { type: "image", data: "AA==", mimeType: "image/png" } }) }],
    ["an empty text", { result: said("  ") }],
    ["that its user refused", { error: { code: -1, message: "User rejected sampling request" } }],
    [
      "that it does not support sampling",
      { error: { code: -32601, message: "Method not found" } },
      "SAMPLING_NOT_SUPPORTED",
    ],
  ])(
    "that answers %s keeps its thought, is told why there is no critique and gets the questions",
    async (_what, answer, code = "CRITIQUE_FAILED") => {
      const { call, converse, sessionId, args } = await thinking();
      const recorded = told(await converse("thought", args, answer));
      expect(recorded).toMatchObject({ thoughtNumber: 1, warnings: [{ code }] });
      expect(recorded.selfCritique.prompt).toContain("It is the pool.");
      const thoughts = await readBack(call, sessionId);
      expect(thoughts).toMatchObject([{ thought: "It is the pool." }]);
      expect(thoughts[0].critique).toBeUndefined();
      expect(await verify(call, sessionId)).toMatchObject({ valid: true });
    },
  );

  test("that answers three megabytes has its critique cut", async () => {
    const { call, converse, sessionId, args } = await thinking();
    const answer = { result: said("é".repeat(1_500_000), { model: "m".repeat(5_000) }) };
    const { critique } = told(await converse("thought", args, answer));
    expect(critique).toMatchObject({ text: "é".repeat(16_000), model: "m".repeat(200) });
    expect((await readBack(call, sessionId))[0].critique).toEqual(critique);
  });

  test("whose answer exceeds the message limit delays only that call", async () => {
    const { call, converse, sessionId, args } = await thinking();
    const flood = { result: said("x".repeat(5 * 1024 * 1024)) };
    const asked = new Promise<void>((resolve) => {
      converse("thought", args, flood, async () => resolve()).catch(() => {});
    });
    await asked;
    expect(told(await call("thought", { sessionId, thought: "Next." }))).toMatchObject({ thoughtNumber: 2 });
    const thoughts = await readBack(call, sessionId);
    expect(thoughts.map(({ thought }) => thought)).toEqual(["It is the pool.", "Next."]);
    expect(thoughts[0].critique).toBeUndefined();
  });

  test("that answers late has the critique attached to its own thought, not to those recorded meanwhile", async () => {
    const { call, converse, sessionId, args } = await thinking();
    const meanwhile = async () => {
      for (const thought of ["Next.", "And next."]) await call("thought", { sessionId, thought });
    };
    const recorded = told(await converse("thought", args, { result: said("Unproven.") }, meanwhile));
    expect(recorded).toMatchObject({ thoughtNumber: 1, critique: { text: "Unproven." } });
    const thoughts = await readBack(call, sessionId);
    expect(thoughts.map(({ critique }) => critique?.text)).toEqual(["Unproven.", undefined, undefined]);
  });

  test("that starts another session before its critic answers keeps the thought in the first", async () => {
    const { call, converse, sessionId, args } = await thinking();
    const { sessionId: _named, ...unnamed } = args;
    let other = "";
    const meanwhile = async () => {
      other = await thinkingSession(call);
    };
    const recorded = told(await converse("thought", unnamed, { result: said("Unproven.") }, meanwhile));
    expect(recorded).toMatchObject({ sessionId, critique: { text: "Unproven." } });
    expect(await readBack(call, other)).toEqual([]);
  });
});
