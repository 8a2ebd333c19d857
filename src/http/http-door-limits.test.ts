import { describe, expect, it } from "vitest";
import type { Route } from "./routes.ts";
import { openDoor } from "./test-support/open-door.ts";
import { bodyOf, exchange, openRaw, type RawClient, statusOf } from "./test-support/raw-client.ts";
import { right } from "./test-support/verdict.ts";

const post = ["POST /echo HTTP/1.1", "Host: localhost", "Content-Type: application/json"];

describe("slow clients", () => {
  const limits = { headersMs: 80, requestMs: 300, lingerMs: 50 };

  it("get a timeout if they never end the headers", async () => {
    const { port } = await openDoor({ limits });
    const client = await openRaw(port);
    client.send("GET /echo HTTP/1.1\r\nHost: localhost\r\n");
    const drip = setInterval(() => client.send("X: y\r\n"), 10);
    const answer = await client.closed;
    clearInterval(drip);
    expect(statusOf(answer)).toBe(408);
    expect(bodyOf(answer)).toMatchObject({ error: { code: "REQUEST_TIMEOUT" } });
  });

  it("get a timeout if they stay silent", async () => {
    const { port } = await openDoor({ limits });
    const client = await openRaw(port);
    expect(statusOf(await client.closed)).toBe(408);
  });

  it("get a timeout if they drip the body", async () => {
    const { port } = await openDoor({ limits });
    const client = await openRaw(port);
    client.send(`${[...post, "Content-Length: 1000"].join("\r\n")}\r\n\r\n`);
    const drip = setInterval(() => client.send("x"), 10);
    const answer = await client.closed;
    clearInterval(drip);
    expect(statusOf(answer)).toBe(408);
  });

  it("are disconnected if they stay idle after an answer", async () => {
    const { port } = await openDoor({ limits: { keepAliveMs: 50 } });
    const client = await openRaw(port);
    client.send("GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(statusOf(await client.closed)).toBe(200);
  });
});

describe("bodies", () => {
  const limits = { bodyBytes: 1000, lingerMs: 50 };
  const chunk = (size: number) => `${size.toString(16)}\r\n${"x".repeat(size)}\r\n`;

  it("are read at exactly the limit", async () => {
    const { port } = await openDoor({ limits });
    const answer = await exchange(port, [...post, "Content-Length: 1000"], "x".repeat(1000));
    expect(statusOf(answer)).toBe(200);
    expect(
      statusOf(await exchange(port, [...post, "Transfer-Encoding: chunked"], `${chunk(1000)}0\r\n\r\n`)),
    ).toBe(200);
  });

  it("are refused before they are sent if the announced length is too large", async () => {
    const { port } = await openDoor({ limits });
    const client = await openRaw(port);
    client.send(`${[...post, "Content-Length: 1001"].join("\r\n")}\r\n\r\n`);
    const answer = await client.closed;
    expect(statusOf(answer)).toBe(413);
    expect(answer).toContain("Connection: close");
    expect(bodyOf(answer)).toMatchObject({ error: { code: "BODY_TOO_LARGE" } });
  });

  it("are refused if they grow too large, and the connection ends", async () => {
    const { port } = await openDoor({ limits });
    const client = await openRaw(port);
    client.send(`${[...post, "Transfer-Encoding: chunked"].join("\r\n")}\r\n\r\n${chunk(600)}`);
    client.send(chunk(600));
    const answer = await client.closed;
    expect(statusOf(answer)).toBe(413);
  });

  it("are refused with a readable reason even if the client sends megabytes", async () => {
    const { port } = await openDoor({ limits: { bodyBytes: 1000 } });
    const answer = await fetch(`http://127.0.0.1:${port}/echo`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: "x".repeat(5_000_000),
    });
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ error: { code: "BODY_TOO_LARGE" } });
  });

  it("are refused if they are not UTF-8", async () => {
    const { port } = await openDoor({ limits });
    const client = await openRaw(port);
    client.send(`${[...post, "Content-Length: 2"].join("\r\n")}\r\n\r\n`);
    client.send(Buffer.from([0xc3, 0x28]));
    expect(await client.until("BODY_NOT_UTF8")).toContain("400 Bad Request");
  });

  it("can break off without harm to the server", async () => {
    const { port, errors } = await openDoor({ limits });
    const client = await openRaw(port);
    client.send(`${[...post, "Content-Length: 100"].join("\r\n")}\r\n\r\nhalf`);
    client.socket.resetAndDestroy();
    await client.closed;
    expect(statusOf(await exchange(port, [...post, "Content-Length: 2"], "{}"))).toBe(200);
    expect(errors).toEqual([]);
  });

  it("are refused in invalid chunks", async () => {
    const { port } = await openDoor({ limits });
    expect(statusOf(await exchange(port, [...post, "Transfer-Encoding: chunked"], "zz\r\n"))).toBe(400);
  });

  it("are refused with two lengths", async () => {
    const { port } = await openDoor({ limits });
    const lines = [...post, "Content-Length: 2", "Transfer-Encoding: chunked"];
    expect(statusOf(await exchange(port, lines, "0\r\n\r\n"))).toBe(400);
  });
});

describe("connections", () => {
  const open = (port: number, count: number, localAddress?: string) =>
    Promise.all(Array.from({ length: count }, () => openRaw(port, "127.0.0.1", localAddress)));

  const get = "GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const asStranger = (key: string) => ({ identifyPeer: async () => ({ isOurUid: false, key }) });
  const settled = (client: RawClient) =>
    Promise.race([client.closed.then(() => "closed"), client.until("200 OK").then(() => "answered")]);

  it("from our own uid have no limit per address", async () => {
    const { port } = await openDoor();
    const clients = await open(port, 150);
    for (const client of clients) client.send(get);
    await Promise.all(clients.map((client) => client.until("200 OK")));
    for (const { socket } of clients) socket.destroy();
  });

  it("from strangers are limited, and the newest replaces the oldest", async () => {
    const { port } = await openDoor(asStranger("uid 1001"));
    const [first, ...others] = await open(port, 33);
    expect(await first?.closed).toBe("");
    others[0]?.send(`GET /echo HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${right}\r\n\r\n`);
    await others[0]?.until("200 OK");
    for (const { socket } of others) socket.destroy();
  });

  it("from strangers are limited in total, from however many addresses", async () => {
    let peers = 0;
    const { port } = await openDoor({
      identifyPeer: async () => ({ isOurUid: false, key: `uid ${peers++}` }),
      limits: { unproven: 3 },
    });
    const clients = await open(port, 4);
    await clients[0]?.closed;
    for (const { socket } of clients) socket.destroy();
  });

  it("from strangers end after a refusal, proven ones do not", async () => {
    const { port } = await openDoor(asStranger("uid 1001"));
    const [stranger, owner] = await open(port, 2);
    stranger?.send(get);
    expect(statusOf((await stranger?.closed) ?? "")).toBe(401);
    owner?.send(get.replace("\r\n\r\n", `\r\nAuthorization: ${right}\r\n\r\n`));
    await owner?.until("200 OK");
    owner?.send(get.replace("/echo", "/nowhere").replace("\r\n\r\n", `\r\nAuthorization: ${right}\r\n\r\n`));
    expect(await owner?.until("404")).toMatch(/Connection: keep-alive[\s\S]*Connection: keep-alive/);
    owner?.socket.destroy();
  });

  it("are closed at the limit, starting with the longest idle one", async () => {
    const { port } = await openDoor({ limits: { proven: 2 } });
    const [first, second] = await open(port, 2);
    second?.send(get);
    await second?.until("200 OK");
    first?.send(get);
    await first?.until("200 OK");
    const [third] = await open(port, 1);
    third?.send(get);
    await third?.until("200 OK");
    await second?.closed;
    for (const client of [first, third]) client?.socket.destroy();
  });

  it("are refused with a time to retry if the server is busy", async () => {
    let begin = () => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const route: Route = { path: "/echo", methods: ["GET"], handle: () => begin() };
    const { port } = await openDoor({ limits: { proven: 1 }, routes: [route] });
    const [working] = await open(port, 1);
    working?.send(get);
    await begun;
    const [extra] = await open(port, 1);
    const answer = (await extra?.closed) ?? "";
    expect(statusOf(answer)).toBe(503);
    expect(answer).toContain("Retry-After: 5");
    working?.socket.destroy();
  });

  it("with the token are limited per address", async () => {
    const { port } = await openDoor({
      ...asStranger("uid 1001"),
      limits: { provenPerPeer: 2, unprovenPerPeer: 9 },
    });
    const withToken = get.replace("\r\n\r\n", `\r\nAuthorization: ${right}\r\n\r\n`);
    const clients = await open(port, 3);
    for (const client of clients) {
      client.send(withToken);
      await client.until("200 OK");
    }
    expect(await settled(clients[0] as RawClient)).toBe("answered");
    await clients[0]?.closed;
    for (const { socket } of clients) socket.destroy();
  });

  it("accept a few pipelined requests, but not hundreds", async () => {
    const { port } = await openDoor();
    const [patient, hasty] = await open(port, 2);
    patient?.send(get.repeat(8));
    await patient?.until(/(?:loopback[\s\S]*){8}/);
    patient?.socket.destroy();
    hasty?.send(get.repeat(200));
    const answers = (await hasty?.closed) ?? "";
    expect(answers.match(/200 OK/g)?.length ?? 0).toBeLessThan(200);
    const [next] = await open(port, 1);
    next?.send(get);
    await next?.until("200 OK");
    next?.socket.destroy();
  });

  it("serve a limited number of requests", async () => {
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
