import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import type { Route, UpgradeRoute } from "./routes.ts";
import { openDoor } from "./test-support/open-door.ts";
import { openRaw, statusOf } from "./test-support/raw-client.ts";

const request = "GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n";

/** Creates a route that answers when the test lets it. */
function slowRoute() {
  const waiting: ((res: ServerResponse) => void)[] = [];
  const route: Route = { path: "/slow", methods: ["GET"], handle: (_, res) => waiting.shift()?.(res) };
  return { route, nextResponse: () => new Promise<ServerResponse>((resolve) => waiting.push(resolve)) };
}

describe("a retiring server", () => {
  it("serves existing and new connections, and closes each after its answer", async () => {
    const { route, nextResponse } = slowRoute();
    const { door, port } = await openDoor({ routes: [route] });
    const kept = await openRaw(port);
    let arrived = nextResponse();
    kept.send(request);
    (await arrived).end("first");
    await kept.until("first");

    const retired = door.retire(60_000, 60_000);
    arrived = nextResponse();
    kept.send(request);
    (await arrived).end("second");
    expect(await kept.closed).toMatch(/keep-alive.*first.*Connection: close.*second/s);
    const late = await openRaw(port);
    arrived = nextResponse();
    late.send(request);
    (await arrived).end("third");
    expect(await late.closed).toMatch(/200 OK.*Connection: close.*third/s);
    expect(await Promise.race([retired, Promise.resolve("retiring")])).toBe("retiring");
  });

  it("has retired once requests stop, even with open connections and continuing probes", async () => {
    const probe: Route = {
      path: "/healthz",
      methods: ["GET"],
      isOpen: true,
      handle: (_, res) => void res.end("ok"),
    };
    const { door, port } = await openDoor({ routes: [probe] });
    const idle = await openRaw(port);
    let isDone = false;
    const retired = door.retire(300, 60_000).then(() => {
      isDone = true;
    });
    while (!isDone) {
      const probing = await openRaw(port);
      probing.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
      expect(statusOf(await probing.closed)).toBe(200);
    }
    await retired;
    expect(idle.socket.destroyed).toBe(false);
  });

  it("has retired after a time limit, however many requests arrive", async () => {
    const { door, port } = await openDoor();
    let isDone = false;
    const retired = door.retire(60_000, 300).then(() => {
      isDone = true;
    });
    while (!isDone) {
      const client = await openRaw(port);
      client.send("GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n");
      expect(statusOf(await client.closed)).toBe(200);
    }
    await retired;
  });
});

describe("a graceful close", () => {
  it("finishes requests in progress, then closes their connections", async () => {
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

  it("sends a large answer completely, however slowly the client reads", async () => {
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

  it("soon closes silent connections, used or new", async () => {
    const { route, nextResponse } = slowRoute();
    const { door, port } = await openDoor({ routes: [route] });
    const [fresh, used] = [await openRaw(port), await openRaw(port)];
    const arrived = nextResponse();
    used.send(request);
    (await arrived).end("done");
    await used.until("done");
    await Promise.all([door.close(60_000), fresh.closed, used.closed]);
  });

  it("serves one more request on a connection that was not told about the close", async () => {
    const { route, nextResponse } = slowRoute();
    const { door, port } = await openDoor({ routes: [route] });
    const client = await openRaw(port);
    let arrived = nextResponse();
    client.send(request);
    const begun = await arrived;
    begun.writeHead(200, { "Content-Length": "5" });
    begun.write("be");
    await client.until("be");
    const closed = door.close(60_000);
    begun.end("gun");
    await client.until("begun");
    arrived = nextResponse();
    client.send(request);
    (await arrived).end("one more");
    expect(await client.closed).toMatch(/keep-alive.*begun.*200 OK.*Connection: close.*one more/s);
    await closed;
  });

  it("serves the first request of a connection that was accepted before the close", async () => {
    const { route, nextResponse } = slowRoute();
    const { door, port } = await openDoor({ routes: [route] });
    const client = await openRaw(port);
    const other = await openRaw(port);
    // An answer to this request means that the server has accepted the previous connection too.
    other.send("GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await other.until("PATH_NOT_FOUND");
    const closed = door.close(60_000);
    const arrived = nextResponse();
    client.send(request);
    (await arrived).end("served");
    const answer = await client.closed;
    expect(statusOf(answer)).toBe(200);
    expect(answer).toContain("served");
    expect(answer).toContain("Connection: close");
    await closed;
  });

  it("serves nothing after an answer that announced the close", async () => {
    const { route, nextResponse } = slowRoute();
    const { door, port } = await openDoor({ routes: [route] });
    const client = await openRaw(port);
    const arrived = nextResponse();
    client.send(request);
    const response = await arrived;

    const closed = door.close(60_000);
    const second = once(door.server, "request");
    client.send(request);
    await second;
    response.end("last");
    expect(await client.closed).toMatch(/Connection: close(?!.*200 OK).*last/s);
    await closed;
  });

  it("announces a longer keep-alive timeout than load balancers use", async () => {
    const { port } = await openDoor({ routes: [], limits: {} });
    const client = await openRaw(port);
    client.send("GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const [, seconds] = /Keep-Alive: timeout=(\d+)/.exec(await client.until("PATH_NOT_FOUND")) ?? [];
    expect(Number(seconds)).toBeGreaterThan(60);
  });

  it("destroys the remaining connections after the grace period", async () => {
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

  it("refuses to upgrade a connection that was accepted before the close", async () => {
    const live: UpgradeRoute = { path: "/live", handle: (_, socket) => void socket.destroy() };
    const { door, port } = await openDoor({ upgrades: [live] });
    const client = await openRaw(port);
    const other = await openRaw(port);
    other.send("GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await other.until("PATH_NOT_FOUND");
    const closed = door.close(60_000);
    client.send("GET /live HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
    expect(await client.closed).toMatch(/503.*Retry-After: 5.*SHUTTING_DOWN/s);
    await closed;
  });

  it("can be requested twice", async () => {
    const { door } = await openDoor();
    expect(door.close(10)).toBe(door.close(10_000));
    await door.close(0);
  });
});
