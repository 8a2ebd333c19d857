import { execFile } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { Route } from "./routes.ts";
import { echoRoute, openDoor } from "./test-support/open-door.ts";
import { bodyOf, exchange, openRaw, statusOf } from "./test-support/raw-client.ts";
import { right } from "./test-support/verdict.ts";

const post = ["POST /echo HTTP/1.1", "Host: localhost", "Content-Type: application/json"];
const stranger = { isOurUid: false, key: "uid 65534" };
const get = ["GET /echo HTTP/1.1", "Host: localhost"];

describe("admission on the wire", () => {
  it.each<[string, readonly string[], number]>([
    ["two Host headers", ["GET /echo HTTP/1.1", "Host: localhost", "Host: evil.example"], 400],
    ["no Host header", ["GET /echo HTTP/1.1"], 400],
    ["no Host header in HTTP/1.0", ["GET /echo HTTP/1.0"], 400],
    ["an absolute target", ["GET http://localhost/echo HTTP/1.1", "Host: localhost"], 400],
    ["an asterisk target", ["OPTIONS * HTTP/1.1", "Host: localhost"], 400],
    ["a foreign Host", ["GET /echo HTTP/1.1", "Host: evil.example"], 421],
    ["Origin: null", [...get, "Origin: null"], 403],
    [
      "a foreign Origin on a path that does not exist",
      ["GET /x HTTP/1.1", "Host: localhost", "Origin: https://evil.example"],
      403,
    ],
    ["a wrong token", [...get, "Authorization: Bearer wrong"], 401],
    ["a forwarded request", [...get, "X-Forwarded-For: 10.0.0.1"], 401],
  ])("%s", async (_, lines, status) => {
    const { port } = await openDoor();
    const answer = await exchange(port, lines);
    expect(statusOf(answer)).toBe(status);
    expect(bodyOf(answer)).toEqual({ error: { code: expect.any(String), message: expect.any(String) } });
    expect(answer).toContain("X-Content-Type-Options: nosniff");
    expect(answer).toContain("Cache-Control: no-store");
    expect(answer).not.toMatch(/Access-Control-Allow-Origin|node:|\.ts\b/);
  });

  it("our own uid on loopback is admitted without a token", async () => {
    const { port } = await openDoor();
    const answer = await exchange(port, [...post, "Content-Length: 4"], '"hi"');
    expect(bodyOf(answer)).toEqual({ how: "loopback", mayRunCells: true, text: '"hi"' });
  });

  it.skipIf(process.platform !== "linux" || process.getuid?.() !== 0)(
    "another uid needs the token (needs root)",
    async () => {
      const { port } = await openDoor();
      const program = `fetch("http://localhost:${port}/echo").then(async (r) => console.log(r.status, await r.text()))`;
      const asNobody = { uid: 65_534, gid: 65_534, cwd: "/" };
      const { stdout } = await promisify(execFile)(process.execPath, ["-e", program], asNobody);
      expect(stdout).toMatch(/^401 .*TOKEN_REQUIRED/);
    },
  );

  it("a caller reported as another uid needs the token", async () => {
    const { port } = await openDoor({ identifyPeer: async () => stranger });
    const answer = await exchange(port, get);
    expect(statusOf(answer)).toBe(401);
    expect(answer).toContain("WWW-Authenticate: Bearer");
    expect(statusOf(await exchange(port, [...get, `Authorization: ${right}`]))).toBe(200);
  });

  it("a body is requested only after admission", async () => {
    const { port } = await openDoor({ settings: { auth: "token" } });
    const wanting = [...post, "Content-Length: 4", "Expect: 100-continue"];
    const refused = await openRaw(port);
    refused.send(`${wanting.join("\r\n")}\r\n\r\n`);
    expect(await refused.until("TOKEN_REQUIRED")).not.toContain("100 Continue");

    const admitted = await openRaw(port);
    admitted.send(`${[...wanting, `Authorization: ${right}`].join("\r\n")}\r\n\r\n`);
    await admitted.until("100 Continue");
    admitted.send('"hi"');
    await admitted.until("200 OK");
  });

  it("after five wrong tokens in a minute, the next wrong one must wait, but the right one need not", async () => {
    const { port } = await openDoor();
    const statuses: number[] = [];
    for (let tries = 0; tries < 5; tries++) {
      statuses.push(statusOf(await exchange(port, [...get, "Authorization: Bearer wrong"])));
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401]);
    const slowed = await exchange(port, [...get, "Authorization: Bearer wrong"]);
    expect(statusOf(slowed)).toBe(429);
    expect(slowed).toMatch(/Retry-After: (60|5\d)\r\n/);
    expect(statusOf(await exchange(port, [...get, `Authorization: ${right}`]))).toBe(200);
  });

  it("wrong tokens of one user of this machine do not slow down another user", async () => {
    let key = "uid 1001";
    const { port } = await openDoor({ identifyPeer: async () => ({ isOurUid: false, key }) });
    const tryWrong = async () => statusOf(await exchange(port, [...get, "Authorization: Bearer wrong"]));
    for (let tries = 0; tries < 5; tries++) await tryWrong();
    expect(await tryWrong()).toBe(429);
    key = "uid 1002";
    expect(await tryWrong()).toBe(401);
  });

  it.each([
    [100, 200],
    [101, 431],
    [1_900, 431],
    [2_500, 431],
  ])(
    "a request with %i headers is answered with %i, so that Node drops none silently",
    async (count, status) => {
      const { port } = await openDoor();
      // Host and Connection are headers too.
      const many = Array.from({ length: count - 3 }, () => "A: b");
      const answer = await exchange(port, [...get, ...many, "Zzz: z"]);
      expect(statusOf(answer)).toBe(status);
    },
  );
});

describe("routes", () => {
  it.each<[string, readonly string[], number, string]>([
    ["an unknown path", ["GET /nowhere HTTP/1.1", "Host: localhost"], 404, "PATH_NOT_FOUND"],
    ["a longer path", ["GET /echo/ HTTP/1.1", "Host: localhost"], 404, "PATH_NOT_FOUND"],
    ["a wrong method", ["DELETE /echo HTTP/1.1", "Host: localhost"], 405, "Allow: GET, POST"],
    [
      "OPTIONS without a requested method",
      ["OPTIONS /echo HTTP/1.1", "Host: localhost"],
      405,
      "Allow: GET, POST",
    ],
    [
      "a form",
      ["POST /echo HTTP/1.1", "Host: localhost", "Content-Type: text/plain"],
      415,
      "application/json",
    ],
    ["a POST without a type", ["POST /echo HTTP/1.1", "Host: localhost"], 415, "application/json"],
    [
      "a type that only starts with the right one",
      [...post.slice(0, 2), "Content-Type: application/jsonp"],
      415,
      "json",
    ],
    ["a compressed body", [...post, "Content-Encoding: gzip"], 415, "uncompressed"],
    ["an unsupported expectation", [...get, "Expect: miracles"], 417, "100-continue"],
    ["a request that is not HTTP", ["hello"], 400, "REQUEST_INVALID"],
    ["headers without end", [...get, `X: ${"x".repeat(20_000)}`], 431, "HEADERS_TOO_LARGE"],
  ])("%s", async (_, lines, status, expected) => {
    const { port } = await openDoor();
    const answer = await exchange(port, lines);
    expect(statusOf(answer)).toBe(status);
    expect(answer).toContain(expected);
    expect(answer).toContain("Content-Type: application/json");
  });

  it("a query does not affect the route, and a charset does not affect the type", async () => {
    const { port } = await openDoor();
    const lines = [
      "POST /echo?a=1 HTTP/1.1",
      "Host: [::1]:80",
      "Content-Type: Application/JSON; charset=utf-8",
    ];
    expect(statusOf(await exchange(port, lines))).toBe(200);
  });

  it("a star matches all paths below it", async () => {
    const { port } = await openDoor({ routes: [{ ...echoRoute(), path: "/assets/*" }] });
    const paths = ["/assets/app.js", "/assets/a/b", "/assets", "/assetsx/a"];
    const answers = await Promise.all(
      paths.map((path) => exchange(port, [`GET ${path} HTTP/1.1`, "Host: localhost"])),
    );
    expect(answers.map(statusOf)).toEqual([200, 200, 404, 404]);
  });

  it("a handler that throws answers 500 without details", async () => {
    const failure = new Error("secret /home/me/data");
    const route = { path: "/echo", methods: ["GET"], handle: () => Promise.reject(failure) };
    const { port, errors } = await openDoor({ routes: [route] });
    const answer = await exchange(port, get);
    expect(bodyOf(answer)).toEqual({
      error: { code: "INTERNAL_ERROR", message: expect.not.stringContaining("secret") },
    });
    expect(statusOf(answer)).toBe(500);
    expect(errors).toEqual([failure]);
  });

  it("a handler that throws in the middle of its answer cuts the connection", async () => {
    const { port, errors } = await openDoor({
      routes: [
        {
          path: "/echo",
          methods: ["GET"],
          handle(_, res) {
            res.writeHead(200, { "Content-Length": "100" }).write("begun");
            throw new Error("midway");
          },
        },
      ],
    });
    expect(await exchange(port, get)).not.toContain("midway");
    expect(errors).toHaveLength(1);
  });
});

describe("CORS", () => {
  const origin = "http://localhost:3000";

  it("a preflight of a trusted origin is answered with the methods and headers of the route", async () => {
    const { port } = await openDoor({ settings: { auth: "token" } });
    const question = [
      "Access-Control-Request-Method: POST",
      "Access-Control-Request-Headers: authorization,x-a",
    ];
    const lines = ["OPTIONS /echo HTTP/1.1", "Host: localhost", `Origin: ${origin}`, ...question];
    const answer = await exchange(port, lines);
    expect(statusOf(answer)).toBe(204);
    expect(answer).toContain(`Access-Control-Allow-Origin: ${origin}\r\n`);
    expect(answer).toContain("Access-Control-Allow-Methods: GET, POST\r\n");
    expect(answer).toContain("Access-Control-Allow-Headers: authorization,x-a\r\n");
    expect(answer).not.toContain("Allow-Credentials");
  });

  it("a star is returned only with the token, and other requests get their own origin", async () => {
    const { port } = await openDoor();
    const own = await exchange(port, [...get, `Origin: ${origin}`]);
    expect(own).toContain(`Access-Control-Allow-Origin: ${origin}\r\n`);
    const withToken = await exchange(port, [...get, `Origin: ${origin}`, `Authorization: ${right}`]);
    expect(withToken).toContain("Access-Control-Allow-Origin: *\r\n");
    expect(await exchange(port, get)).not.toContain("Access-Control");
  });
});

describe("listening", () => {
  it("reports the bound port, and rejects if the port is in use", async () => {
    const { port } = await openDoor();
    expect(port).toBeGreaterThan(0);
    await expect(openDoor({ port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});

describe("both addresses of localhost", () => {
  const route: Route = { path: "/ours", methods: ["GET"], handle: (_, res) => void res.end("ours") };
  const read = async (host: string, port: number) => (await fetch(`http://${host}:${port}/ours`)).text();

  it.each(["127.0.0.1", "0.0.0.0", "::1", "::"])(
    "are served at %s, and no other program can listen there",
    async (host) => {
      const { door, port } = await openDoor({ routes: [route], host });
      expect([await read("127.0.0.1", port), await read("[::1]", port)]).toEqual(["ours", "ours"]);
      const neighbour = createServer();
      await expect(once(neighbour.listen(port, "::1"), "listening")).rejects.toMatchObject({
        code: "EADDRINUSE",
      });
      await door.close(1_000);
      await once(neighbour.listen(port, "::1"), "listening");
      neighbour.close();
    },
  );

  it("a page at localhost needs the token if another program listens on one of them", async () => {
    const neighbour = createServer();
    await once(neighbour.listen(0, "::1"), "listening");
    const { port } = neighbour.address() as AddressInfo;
    const { errors } = await openDoor({ routes: [route], port });
    neighbour.close();
    expect(String(errors)).toBe(
      `Error: cannot listen on [::1]:${port} (EADDRINUSE). Another program may be listening on ` +
        `http://localhost:${port}, so do not enter the token at that address. Use http://127.0.0.1:${port}.`,
    );
    const from = async (host: string) => {
      const client = await openRaw(port);
      client.send(
        `GET /ours HTTP/1.1\r\nHost: ${host}:${port}\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n\r\n`,
      );
      return statusOf(await client.closed);
    };
    expect([await from("localhost"), await from("127.0.0.1")]).toEqual([401, 200]);
  });
});
