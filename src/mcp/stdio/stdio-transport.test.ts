import { EventEmitter, once } from "node:events";
import { PassThrough, Writable } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createStdioTransport } from "./stdio-transport.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** Stops the clock, so anything that relies on a time limit never ends. */
const stopClock = () => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });

async function connect(output: Writable = new PassThrough()) {
  const input = new PassThrough();
  const received: JSONRPCMessage[] = [];
  const errors: string[] = [];
  const written: string[] = [];
  const ends: string[] = [];
  output.on("data", (chunk) => written.push(String(chunk)));
  const process = new EventEmitter();
  const ended = once(process, "exit");
  process.on("exit", () => ends.push("end"));
  const transport = createStdioTransport({ input, output, onEnd: () => process.emit("exit") });
  transport.onmessage = (message) => received.push(message);
  transport.onerror = (error) => errors.push(error.message);
  transport.onclose = () => ends.push("close");
  await transport.start();
  const frames = () =>
    written
      .join("")
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  return { transport, input, output, received, errors, ends, ended, frames };
}

const request = (id: number | string, method = "m") => ({ jsonrpc: "2.0" as const, id, method });
const result = (id: number | string) => ({ jsonrpc: "2.0" as const, id, result: {} });
const line = (message: object) => `${JSON.stringify(message)}\n`;
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("while the connection is open", () => {
  test("delivers a request and writes its answer in one line", async () => {
    const { transport, input, received, frames } = await connect();
    input.write(line(request(1)));
    await turn();
    expect(received).toEqual([request(1)]);
    await transport.send({ jsonrpc: "2.0", id: 1, result: { text: "a\nb" } });
    expect(frames()).toEqual([{ jsonrpc: "2.0", id: 1, result: { text: "a\nb" } }]);
  });

  test("answers malformed messages or drops them with a note, and does not deliver them", async () => {
    const { input, received, errors, frames } = await connect();
    input.write(
      'oops\n[{"id":1,"method":"a"},{"id":2,"method":"b"}]\n\r\n{"jsonrpc":"2.0","method":"n","params":1}\n',
    );
    await turn();
    expect(received).toEqual([]);
    expect(frames()).toMatchObject([
      { id: null, error: { code: -32700 } },
      { id: 1, error: { code: -32600 } },
      { id: 2, error: { code: -32600 } },
    ]);
    expect(errors).toEqual(["malformed notification: params must be an object"]);
  });

  test("answers an 11 MB line with its ID, and serves the next line", async () => {
    const { input, received, frames } = await connect();
    const huge = JSON.stringify({ jsonrpc: "2.0", method: "m", params: { text: "x".repeat(11e6) }, id: 9 });
    input.write(`${huge}\n${line(request(10))}`);
    await turn();
    const message = `message of ${huge.length} bytes exceeds the limit of 4194304 bytes`;
    expect(frames()).toEqual([{ jsonrpc: "2.0", id: 9, error: { code: -32600, message } }]);
    expect(received).toEqual([request(10)]);
  });

  test("refuses to start twice", async () => {
    const { transport } = await connect();
    await expect(transport.start()).rejects.toThrow("already started");
  });
});

describe("when the input ends", () => {
  test("answers requests in flight before the connection closes", async () => {
    stopClock();
    const { transport, input, ends, ended, frames } = await connect();
    input.end(line(request(1)) + line(request("two")));
    await turn();
    await transport.send(result("two"));
    expect(ends).toEqual([]);
    await transport.send(result(1));
    await ended;
    expect(frames()).toEqual([result("two"), result(1)]);
    expect(ends).toEqual(["close", "end"]);
  });

  test("reads an unfinished last line", async () => {
    stopClock();
    const { transport, input, received, ended } = await connect();
    input.end(JSON.stringify(request(1)));
    await turn();
    expect(received).toEqual([request(1)]);
    await transport.send(result(1));
    await ended;
  });

  test("closes immediately if no request is in flight", async () => {
    stopClock();
    const { input, ends, ended } = await connect();
    input.end();
    await ended;
    expect(ends).toEqual(["close", "end"]);
  });

  test("does not wait for a cancelled request", async () => {
    stopClock();
    const { input, ended, frames } = await connect();
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    input.end(line(request(1)) + line(cancel));
    await ended;
    expect(frames()).toEqual([]);
  });

  test("waits for two answers if an ID is used twice", async () => {
    stopClock();
    const { transport, input, ends, ended } = await connect();
    input.end(line(request(1)) + line(request(1)));
    await turn();
    await transport.send(result(1));
    await turn();
    expect(ends).toEqual([]);
    await transport.send(result(1));
    await ended;
  });

  test("waits for a subscription until it is acknowledged", async () => {
    stopClock();
    const { transport, input, ends, ended } = await connect();
    input.end(line(request("s", "subscriptions/listen")));
    await turn();
    expect(ends).toEqual([]);
    await transport.send({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: { notifications: {}, _meta: { "io.modelcontextprotocol/subscriptionId": "s" } },
    });
    await ended;
  });

  test("refuses a request that takes too long, and only once", async () => {
    stopClock();
    const { transport, input, ends, ended, frames } = await connect();
    input.end(line(request(1)) + line(request(1)) + line(request(2)));
    await turn();
    await transport.send(result(2));
    await vi.advanceTimersByTimeAsync(799);
    expect(ends).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await ended;
    await transport.send(result(1));
    const refusal = { id: 1, error: { code: -32603, message: expect.stringContaining("connection closed") } };
    expect(frames()).toMatchObject([result(2), refusal, refusal]);
  });

  test("closes even if the client reads nothing", async () => {
    stopClock();
    const { transport, input, ended } = await connect(new Writable({ write: () => {} }));
    void transport.send(result(1));
    input.end();
    await turn();
    await vi.advanceTimersByTimeAsync(900);
    await ended;
  });

  test("before the start, the connection closes immediately", async () => {
    const input = new PassThrough();
    input.end();
    input.resume();
    await once(input, "end");
    await new Promise<void>((resolve) => {
      const transport = createStdioTransport({ input, output: new PassThrough(), onEnd: resolve });
      void transport.start();
    });
  });

  test("with an error, the error is reported and the connection closes", async () => {
    const { input, errors, ended } = await connect();
    input.destroy(new Error("EIO"));
    await ended;
    expect(errors).toEqual(["EIO"]);
  });
});

describe("when the output breaks", () => {
  const brokenBy = (code: string) => Object.assign(new Error(code), { code });

  test("a closed pipe ends the connection quietly, along with the message being sent", async () => {
    stopClock();
    const output = new Writable({ write: () => {} });
    const { transport, input, errors, ends, ended } = await connect(output);
    input.write(line(request(1)));
    const sending = transport.send(result(2));
    output.destroy(brokenBy("EPIPE"));
    await Promise.all([sending, ended]);
    await transport.send(result(1));
    expect(errors).toEqual([]);
    expect(ends).toEqual(["close", "end"]);
  });

  test("another error is reported", async () => {
    const { output, errors, ended } = await connect(
      new Writable({ write: (_chunk, _encoding, done) => done() }),
    );
    output.destroy(brokenBy("EIO"));
    await ended;
    expect(errors).toEqual(["EIO"]);
  });
});

test("stops reading requests while the client does not read its answers", async () => {
  const unread: (() => void)[] = [];
  const output = new Writable({ write: (_chunk, _encoding, done) => unread.push(done) });
  const { transport, input, received } = await connect(output);
  const large = { jsonrpc: "2.0" as const, id: 1, result: { text: "x".repeat(5 * 1024 * 1024) } };
  const sending = transport.send(large);
  input.write(line(request(2)));
  await turn();
  expect(input.isPaused()).toBe(true);
  expect(received).toEqual([]);
  for (const done of unread) done();
  await sending;
  await turn();
  expect(received).toEqual([request(2)]);
});

test("refuses requests in flight and closes once when it is closed from our side", async () => {
  const { transport, input, ends, frames } = await connect();
  input.write(line(request(1)));
  await turn();
  await Promise.all([transport.close(), transport.close()]);
  expect(frames()).toMatchObject([{ id: 1, error: { code: -32603 } }]);
  expect(ends).toEqual(["close", "end"]);
});
