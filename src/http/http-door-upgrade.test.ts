import { describe, expect, it } from "vitest";
import type { UpgradeRoute } from "./routes.ts";
import { openDoor } from "./test-support/open-door.ts";
import { openRaw, statusOf } from "./test-support/raw-client.ts";
import { token } from "./test-support/verdict.ts";

const live: UpgradeRoute = {
  path: "/live",
  handle(_, socket, head, { how }) {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n${how} ${head}`,
    );
  },
};

const asking = (path: string, ...lines: string[]) =>
  `${[`GET ${path} HTTP/1.1`, "Connection: Upgrade", "Upgrade: websocket", ...lines].join("\r\n")}\r\n\r\n`;

describe("upgrades", () => {
  it.each<[string, string, number]>([
    ["a foreign Host", asking("/live", "Host: evil.example"), 421],
    ["a foreign Origin", asking("/live", "Host: localhost", "Origin: https://evil.example"), 403],
    ["Origin: null", asking("/live", "Host: localhost", "Origin: null"), 403],
    ["a wrong token", asking("/live", "Host: localhost", "Authorization: Bearer wrong"), 401],
    ["a proxy", asking("/live", "Host: localhost", "Via: 1.1 tunnel"), 401],
    [
      "another page of this machine",
      asking("/live", "Host: localhost", "Origin: http://localhost:1729"),
      401,
    ],
    [
      "another page of this machine with a wrong token",
      asking("/live", "Host: localhost", "Origin: http://localhost:1729", "Authorization: Bearer wrong"),
      401,
    ],
    [
      "a page of another site that looks like one of this machine",
      asking("/live", "Host: localhost", "Origin: http://localhost.evil.example"),
      403,
    ],
    ["a path without upgrades", asking("/echo", "Host: localhost"), 404],
  ])("%s is refused in JSON, and the connection ends", async (_, request, status) => {
    const { port } = await openDoor({ upgrades: [live] });
    const client = await openRaw(port);
    client.send(request);
    const answer = await client.closed;
    expect(statusOf(answer)).toBe(status);
    expect(answer).toContain('{"error":{"code":');
  });

  it("an admitted upgrade passes on the socket and the bytes that arrived early", async () => {
    const { port } = await openDoor({ upgrades: [live] });
    const client = await openRaw(port);
    client.send(`${asking("/live", "Host: localhost")}early`);
    expect(statusOf(await client.until("loopback early"))).toBe(101);
  });

  it.each<[string, string, string[], "loopback" | "token"]>([
    ["a listed page", "https://inspector.example", [], "loopback"],
    [
      "another page of this machine with the token",
      "http://localhost:1729",
      [`Authorization: Bearer ${token}`],
      "token",
    ],
    [
      "a listed page with the token",
      "https://inspector.example",
      [`Authorization: Bearer ${token}`],
      "token",
    ],
  ])("%s is admitted", async (_, origin, lines, how) => {
    const settings = { allowedOrigins: ["https://inspector.example"] };
    const { port } = await openDoor({ upgrades: [live], settings });
    const client = await openRaw(port);
    client.send(`${asking("/live", "Host: localhost", `Origin: ${origin}`, ...lines)}early`);
    expect(statusOf(await client.until(`${how} early`))).toBe(101);
  });

  it("our own page is admitted without a token", async () => {
    const { port } = await openDoor({ upgrades: [live] });
    const client = await openRaw(port);
    client.send(`${asking("/live", `Host: localhost:${port}`, `Origin: http://localhost:${port}`)}early`);
    expect(statusOf(await client.until("loopback early"))).toBe(101);
  });

  it("a handler that throws ends one connection, not the server", async () => {
    const failing = { path: "/live", handle: () => Promise.reject(new Error("no")) };
    const { port, errors } = await openDoor({ upgrades: [failing] });
    const client = await openRaw(port);
    client.send(asking("/live", "Host: localhost"));
    expect(await client.closed).toBe("");
    expect(errors).toHaveLength(1);
  });

  it("resetting an upgraded connection causes no error", async () => {
    const { port, door, errors } = await openDoor({ upgrades: [live] });
    const client = await openRaw(port);
    client.send(asking("/live", "Host: localhost"));
    await client.until("loopback");
    client.socket.resetAndDestroy();
    await door.close(5_000);
    expect(errors).toEqual([]);
  });

  it("without upgrade routes, a request to upgrade is an ordinary request", async () => {
    const { port } = await openDoor();
    const client = await openRaw(port);
    client.send("GET /echo HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n");
    expect(statusOf(await client.until("loopback"))).toBe(200);
  });
});
