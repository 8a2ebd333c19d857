import { describe, expect, it } from "vitest";
import { openDoor } from "./test-support/open-door.ts";
import { bodyOf, exchange, openRaw, statusOf } from "./test-support/raw-client.ts";

const post = ["POST /echo HTTP/1.1", "Host: localhost", "Content-Type: application/json"];

describe("slow clients", () => {
  const limits = { headersMs: 80, requestMs: 300, lingerMs: 50 };

  it("one that never ends its headers is cut", async () => {
    const { port } = await openDoor({ limits });
    const client = await openRaw(port);
    client.send("GET /echo HTTP/1.1\r\nHost: localhost\r\n");
    const drip = setInterval(() => client.send("X: y\r\n"), 10);
    const answer = await client.closed;
    clearInterval(drip);
    expect(statusOf(answer)).toBe(408);
    expect(bodyOf(answer)).toMatchObject({ error: { code: "REQUEST_TIMEOUT" } });
  });

  it("one that says nothing at all is cut", async () => {
    const { port } = await openDoor({ limits });
    const client = await openRaw(port);
    expect(statusOf(await client.closed)).toBe(408);
  });

  it("one that drips its body is cut", async () => {
    const { port } = await openDoor({ limits });
    const client = await openRaw(port);
    client.send(`${[...post, "Content-Length: 1000"].join("\r\n")}\r\n\r\n`);
    const drip = setInterval(() => client.send("x"), 10);
    const answer = await client.closed;
    clearInterval(drip);
    expect(statusOf(answer)).toBe(408);
  });

  it("one that idles after its answer is cut", async () => {
    const { port } = await openDoor({ limits: { keepAliveMs: 50 } });
    const client = await openRaw(port);
    client.send("GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(statusOf(await client.closed)).toBe(200);
  });
});

describe("bodies", () => {
  const limits = { bodyBytes: 1000, lingerMs: 50 };
  const chunk = (size: number) => `${size.toString(16)}\r\n${"x".repeat(size)}\r\n`;

  it("one exactly at the limit is read", async () => {
    const { port } = await openDoor({ limits });
    const answer = await exchange(port, [...post, "Content-Length: 1000"], "x".repeat(1000));
    expect(statusOf(answer)).toBe(200);
    expect(
      statusOf(await exchange(port, [...post, "Transfer-Encoding: chunked"], `${chunk(1000)}0\r\n\r\n`)),
    ).toBe(200);
  });

  it("one announced as too large is refused before it comes", async () => {
    const { port } = await openDoor({ limits });
    const client = await openRaw(port);
    client.send(`${[...post, "Content-Length: 1001"].join("\r\n")}\r\n\r\n`);
    const answer = await client.closed;
    expect(statusOf(answer)).toBe(413);
    expect(answer).toContain("Connection: close");
    expect(bodyOf(answer)).toMatchObject({ error: { code: "BODY_TOO_LARGE" } });
  });

  it("one that grows too large is refused, and the connection ends", async () => {
    const { port } = await openDoor({ limits });
    const client = await openRaw(port);
    client.send(`${[...post, "Transfer-Encoding: chunked"].join("\r\n")}\r\n\r\n${chunk(600)}`);
    client.send(chunk(600));
    const answer = await client.closed;
    expect(statusOf(answer)).toBe(413);
  });

  it("a client that sends megabytes still gets to read why not", async () => {
    const { port } = await openDoor({ limits: { bodyBytes: 1000 } });
    const answer = await fetch(`http://127.0.0.1:${port}/echo`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: "x".repeat(5_000_000),
    });
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ error: { code: "BODY_TOO_LARGE" } });
  });

  it("one that is not UTF-8 is refused", async () => {
    const { port } = await openDoor({ limits });
    const client = await openRaw(port);
    client.send(`${[...post, "Content-Length: 2"].join("\r\n")}\r\n\r\n`);
    client.send(Buffer.from([0xc3, 0x28]));
    expect(await client.until("BODY_NOT_UTF8")).toContain("400 Bad Request");
  });

  it("one that breaks off leaves the server well", async () => {
    const { port, errors } = await openDoor({ limits });
    const client = await openRaw(port);
    client.send(`${[...post, "Content-Length: 100"].join("\r\n")}\r\n\r\nhalf`);
    client.socket.resetAndDestroy();
    await client.closed;
    expect(statusOf(await exchange(port, [...post, "Content-Length: 2"], "{}"))).toBe(200);
    expect(errors).toEqual([]);
  });

  it("one in broken chunks is refused", async () => {
    const { port } = await openDoor({ limits });
    expect(statusOf(await exchange(port, [...post, "Transfer-Encoding: chunked"], "zz\r\n"))).toBe(400);
  });

  it("two lengths are refused", async () => {
    const { port } = await openDoor({ limits });
    const lines = [...post, "Content-Length: 2", "Transfer-Encoding: chunked"];
    expect(statusOf(await exchange(port, lines, "0\r\n\r\n"))).toBe(400);
  });
});

describe("connections", () => {
  const open = (port: number, count: number, localAddress?: string) =>
    Promise.all(Array.from({ length: count }, () => openRaw(port, "127.0.0.1", localAddress)));

  it("the 33rd of a peer is refused until another ends, and other peers do not notice", async () => {
    const { port } = await openDoor();
    const clients = await open(port, 32);
    const [extra] = await open(port, 1);
    expect(statusOf((await extra?.closed) ?? "")).toBe(503);
    const [neighbour] = await open(port, 1, "127.0.0.2");
    neighbour?.send("GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await neighbour?.until("200 OK");

    clients[0]?.send("GET /echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    await clients[0]?.closed;
    const [next] = await open(port, 1);
    next?.send("GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await next?.until("200 OK");
    for (const { socket } of [...clients, neighbour, next].filter((client) => client !== undefined))
      socket.destroy();
  });

  it("a request sent on a refused connection is not served", async () => {
    let served = 0;
    const route = { path: "/echo", methods: ["GET"], handle: () => void served++ };
    const { port } = await openDoor({ limits: { connectionsPerPeer: 0 }, routes: [route] });
    const client = await openRaw(port);
    client.send("GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await client.closed;
    expect(served).toBe(0);
  });

  it("the door as a whole holds no more than its fill", async () => {
    const { port } = await openDoor({ limits: { connections: 3 } });
    const clients = [...(await open(port, 2)), ...(await open(port, 1, "127.0.0.2"))];
    const [extra] = await open(port, 1, "127.0.0.3");
    expect(statusOf((await extra?.closed) ?? "")).toBe(503);
    for (const { socket } of clients) socket.destroy();
  });

  it("a connection serves many requests, but not for ever", async () => {
    const { port } = await openDoor({ limits: { requestsPerConnection: 2 } });
    const client = await openRaw(port);
    const get = "GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n";
    client.send(get);
    await client.until("loopback");
    client.send(get);
    const answers = await client.until(/loopback[\s\S]*loopback/);
    expect(answers.match(/Connection: [a-z-]+/g)).toEqual(["Connection: keep-alive", "Connection: close"]);
  });
});
