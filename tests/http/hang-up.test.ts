import { expect, onTestFinished, test } from "vitest";
import { openRaw } from "../../src/http/test-support/raw-client.ts";
import { allMessages, jsonHeaders, modernRequest, postModern } from "../support/mcp-http.ts";
import { openHttpDoor } from "../support/real-door.ts";
import { tempDir } from "../support/temp-dir.ts";

async function serve() {
  const door = await openHttpDoor(tempDir(), {});
  onTestFinished(() => door.close());
  const call = async (name: string, args: object): Promise<any> => {
    const answer = await postModern(door.url, 1, "tools/call", { name, arguments: args });
    const [message] = await allMessages(answer);
    return message?.result.structuredContent;
  };
  const { sessionId } = await call("start_new", {});
  await call("cipher", { sessionId });
  return { url: door.url, call, sessionId };
}

/** Sends a call and disconnects before the answer. */
async function callAndHangUp(url: URL, name: string, args: object): Promise<void> {
  const { body, headers } = modernRequest(1, "tools/call", { name, arguments: args });
  const text = JSON.stringify(body);
  const client = await openRaw(Number(url.port));
  const lines = Object.entries({ ...jsonHeaders, ...headers, "Content-Length": String(text.length) });
  const head = [
    "POST /mcp HTTP/1.1",
    "Host: localhost",
    ...lines.map(([header, value]) => `${header}: ${value}`),
  ];
  client.send(`${head.join("\r\n")}\r\n\r\n${text}`);
  client.socket.destroySoon();
  await client.closed;
}

test("clients that disconnect during a write leave a valid session and a running server", async () => {
  const { url, call, sessionId } = await serve();
  const texts = Array.from({ length: 20 }, (_, index) => `hung up ${index}`);
  await Promise.all(texts.map((thought) => callAndHangUp(url, "thought", { sessionId, thought })));
  const { thoughtNumber } = await call("thought", { sessionId, thought: "still here" });
  const { thoughts } = await call("read_thoughts", { sessionId, last: 30 });
  const stored = thoughts.map(({ thought }: { thought: string }) => thought);
  expect(new Set(stored).size).toBe(stored.length);
  expect(thoughtNumber).toBeLessThanOrEqual(texts.length + 1);
  expect(await call("session_verify", { sessionId })).toMatchObject({ valid: true });
});

test("a write that is repeated after a broken answer is stored once", async () => {
  const { url, call, sessionId } = await serve();
  const write = { sessionId, thought: "once only", idempotencyKey: "the-one-and-only" };
  await callAndHangUp(url, "thought", write);
  expect(await call("thought", write)).toMatchObject({ thoughtNumber: 1 });
  expect(await call("thought", write)).toMatchObject({ thoughtNumber: 1 });
  expect((await call("read_thoughts", { sessionId, last: 5 })).thoughts).toHaveLength(1);
});
