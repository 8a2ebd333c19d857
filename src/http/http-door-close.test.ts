import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import type { Route, UpgradeRoute } from "./routes.ts";
import { openDoor } from "./test-support/open-door.ts";
import { openRaw, statusOf } from "./test-support/raw-client.ts";

const request = "GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n";

/** A route whose answers are given by the test. */
function slowRoute() {
  const waiting: ((res: ServerResponse) => void)[] = [];
  const route: Route = { path: "/slow", methods: ["GET"], handle: (_, res) => waiting.shift()?.(res) };
  return { route, nextResponse: () => new Promise<ServerResponse>((resolve) => waiting.push(resolve)) };
}

describe("a graceful close", () => {
  it("lets what is in flight finish, then ends its connection", async () => {
    const { route, nextResponse } = slowRoute();
    const { door, port } = await openDoor({ routes: [route] });
    const client = await openRaw(port);
    const arrived = nextResponse();
    client.send(request);
    const response = await arrived;

    const closed = door.close(60_000);
    await expect(openRaw(port)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    response.end("finished");
    const answer = await client.closed;
    expect(statusOf(answer)).toBe(200);
    expect(answer).toContain("finished");
    expect(answer).toContain("Connection: close");
    await closed;
  });

  it("sends a large answer to the end, however slowly it is read", async () => {
    const { route, nextResponse } = slowRoute();
    const { door, port } = await openDoor({ routes: [route] });
    const client = await openRaw(port);
    const arrived = nextResponse();
    client.send(request);
    client.socket.pause();
    (await arrived).end(Buffer.alloc(30_000_000, "x"));
    const closed = door.close(60_000);
    client.socket.resume();
    expect((await client.closed).length).toBeGreaterThan(30_000_000);
    await closed;
  });

  it("ends idle connections at once", async () => {
    const { route, nextResponse } = slowRoute();
    const { door, port } = await openDoor({ routes: [route] });
    const [fresh, used] = [await openRaw(port), await openRaw(port)];
    const arrived = nextResponse();
    used.send(request);
    (await arrived).end("done");
    await used.until("done");
    await door.close(60_000);
    await Promise.all([fresh.closed, used.closed]);
  });

  it("refuses what comes after it on a connection that is still busy", async () => {
    const { route, nextResponse } = slowRoute();
    const { door, port } = await openDoor({ routes: [route] });
    const client = await openRaw(port);
    const arrived = nextResponse();
    client.send(request);
    const response = await arrived;
    response.writeHead(200, { "Content-Length": "8" });
    response.write("half");
    await client.until("half");

    const closed = door.close(60_000);
    const second = once(door.server, "request");
    client.send(request);
    await second;
    response.end("done");
    const answer = await client.closed;
    expect(answer).toContain("halfdone");
    expect(answer).toContain("SHUTTING_DOWN");
    await closed;
  });

  it("destroys what is left when the grace is over", async () => {
    const { route, nextResponse } = slowRoute();
    const live: UpgradeRoute = {
      path: "/live",
      handle: (_, socket) => void socket.write("HTTP/1.1 101 Go\r\n\r\n"),
    };
    const { door, port } = await openDoor({ routes: [route], upgrades: [live] });
    const [hanging, upgraded] = [await openRaw(port), await openRaw(port)];
    const arrived = nextResponse();
    hanging.send(request);
    upgraded.send("GET /live HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
    await Promise.all([arrived, upgraded.until("101")]);
    await door.close(20);
    expect(await hanging.closed).toBe("");
    await upgraded.closed;
  });

  it("may be asked for twice", async () => {
    const { door } = await openDoor();
    expect(door.close(10)).toBe(door.close(10_000));
    await door.close(0);
  });
});
