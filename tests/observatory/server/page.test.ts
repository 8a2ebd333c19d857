import { describe, expect, test } from "vitest";
import { openRaw, statusOf } from "../../../src/http/test-support/raw-client.ts";
import { openObservatory, openViewer } from "./observatory.testing.ts";

const token = "the-token-of-the-observatory";
const guarded = { THOUGHTBOX_AUTH: "token", THOUGHTBOX_TOKEN: token };

const cookieOf = (answer: Response): string =>
  (answer.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";

/** Returns what a browser keeps: its cookie, and the proof that the entrance gave to the page's storage. */
async function accessOf(answer: Response): Promise<{ cookie: string; "thoughtbox-page": string }> {
  const proof = /data-proof="([^"]+)"/.exec(await answer.text())?.[1] ?? "";
  return { cookie: cookieOf(answer), "thoughtbox-page": proof };
}

describe("the page", () => {
  test("is served with a strict policy and security headers", async () => {
    const { get } = await openObservatory();
    const answer = await get("/");
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("<title>Observatory</title>");
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": "no-cache",
    });
    expect((await get("/assets/app-1a2b.js")).headers.get("cache-control")).toContain("immutable");
    expect((await get("/api/health")).headers.get("cache-control")).toBe("no-store");
  });

  test.each([
    "/.built-from",
    "/../package.json",
    "/%2e%2e/package.json",
    "/assets/../../package.json",
    "/nothing",
  ])("%s is not part of it", async (path) => {
    const { service } = await openObservatory();
    const client = await openRaw(service.port);
    client.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect(statusOf(await client.closed)).toBe(404);
  });

  test("is not sent again if it is unchanged", async () => {
    const { get } = await openObservatory();
    const etag = (await get("/")).headers.get("etag") ?? "";
    expect((await get("/", { "If-None-Match": etag })).status).toBe(304);
  });
});

describe("the token", () => {
  test("in the address is exchanged for a cookie, which opens the page, the API and the WebSocket", async () => {
    const { get, url } = await openObservatory({ env: guarded });
    expect((await get("/")).status).toBe(401);
    const exchanged = await get(`/?token=${token}`);
    expect(exchanged.status).toBe(200);
    expect(exchanged.headers.get("cache-control")).toBe("no-store");
    expect(exchanged.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(exchanged.headers.get("set-cookie")).toMatch(/; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
    expect(exchanged.headers.get("set-cookie")).not.toContain(token);
    const access = await accessOf(exchanged);
    const { cookie, "thoughtbox-page": proof } = access;
    expect((await get("/", { cookie: `other=1; ${cookie}` })).status).toBe(200);
    expect((await get("/api/sessions", access)).status).toBe(200);
    const viewer = await openViewer(url, { cookie, origin: url }, ["thoughtbox", `thoughtbox.page.${proof}`]);
    expect(viewer.socket.protocol).toBe("thoughtbox");
    viewer.say({ action: "subscribe", channel: "sessions" });
    expect((await viewer.event("sessions:snapshot")).data.total).toBe(0);
  });

  test.each([
    ["directly", {}],
    ["through a proxy", { "x-forwarded-for": "198.51.100.7" }],
  ])("a stolen cookie that another server on this host sends %s opens nothing", async (_, by) => {
    const { get, url } = await openObservatory({ env: guarded });
    const { cookie, ...proof } = await accessOf(await get(`/?token=${token}`, by));
    const stolen = { ...by, cookie };
    for (const path of ["/api/health", "/api/sessions", "/api/home", "/api/workspaces"])
      expect((await get(path, stolen)).status).toBe(401);
    await expect(openViewer(url, stolen)).rejects.toThrow("401");
    await expect(openViewer(url, { ...stolen, origin: url })).rejects.toThrow("401");
    const remark = await fetch(`${url}/api/remarks`, {
      method: "POST",
      headers: { ...stolen, origin: url, "content-type": "application/json" },
      body: "{}",
    });
    expect(remark.status).toBe(401);
    expect((await get("/api/sessions", { ...by, ...proof })).status).toBe(401);
    expect((await get("/api/sessions", { ...stolen, ...proof })).status).toBe(200);
  });

  test.each([
    ["a wrong token in the address", "/?token=wrong", {}],
    ["a token in an API address", `/api/sessions?token=${token}`, {}],
    ["the token itself as the cookie", "/", { cookie: `thoughtbox-0=${token}` }],
    ["an invalid cookie", "/", { cookie: "thoughtbox-0=AAAA" }],
  ])("%s opens nothing", async (_, path, headers) => {
    const { get } = await openObservatory({ env: guarded });
    expect((await get(path, headers)).status).toBe(401);
  });

  test("can be sent as a WebSocket protocol, which is not the chosen one", async () => {
    const { url } = await openObservatory({ env: guarded });
    const protocol = (value: string) => ({ "Sec-WebSocket-Protocol": value });
    await expect(openViewer(url)).rejects.toThrow("401");
    await expect(openViewer(url, protocol("thoughtbox, thoughtbox.token.wrong"))).rejects.toThrow("401");
    const viewer = await openViewer(url, {}, ["thoughtbox", `thoughtbox.token.${token}`]);
    expect(viewer.socket.protocol).toBe("thoughtbox");
  });

  test("is requested on a page without stored data, and API callers receive JSON", async () => {
    const { get, call } = await openObservatory({ env: guarded });
    await call("start_new", { sessionTitle: "Nobody may read this", project: "hidden-project" });
    const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
    for (const path of ["/", "/whatever", "/index.html"]) {
      const answer = await get(path, browser);
      const page = await answer.text();
      expect([answer.status, answer.headers.get("content-type")]).toEqual([401, "text/html; charset=utf-8"]);
      expect(page).toContain("This page needs the token");
      expect(page).not.toMatch(/hidden-project|Nobody may|assets\//);
      expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    }
    expect(await (await get("/", {})).json()).toMatchObject({ error: { code: "TOKEN_REQUIRED" } });
    expect(await (await get("/api/sessions", browser)).json()).toMatchObject({
      error: { code: "TOKEN_REQUIRED" },
    });
  });

  test("is also read from a pasted address, and a wrong one is reported", async () => {
    const { get } = await openObservatory({ env: guarded });
    const pasted = (text: string) => get(`/?token=${encodeURIComponent(text)}`, { accept: "text/html" });
    expect((await pasted(` http://127.0.0.1:1729/?token=${token} `)).status).toBe(200);
    const wrong = await pasted("http://127.0.0.1:1729/?token=tb_nothing");
    expect(wrong.status).toBe(401);
    expect(await wrong.text()).toContain("This server does not accept that token.");
    expect((await pasted("http://127.0.0.1:1729/")).status).toBe(401);
  });

  test("of the page gives no access to MCP", async () => {
    const { get, app } = await openObservatory({ env: { ...guarded, PORT: "0" } });
    const cookie = cookieOf(await get(`/?token=${token}`));
    const mcp = await app.serveHttp();
    const value = cookie.split("=")[1];
    const answer = await fetch(`http://127.0.0.1:${mcp.port}/mcp`, {
      headers: { cookie: `thoughtbox-${mcp.port}=${value}` },
    });
    await mcp.stop(0);
    expect(answer.status).toBe(401);
  });
});

describe("foreign requests", () => {
  const upgrade =
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

  test.each([
    ["a foreign Host", "Host: evil.example", 421],
    ["a foreign Origin", "Host: localhost\r\nOrigin: https://evil.example", 403],
    ["Origin: null", "Host: localhost\r\nOrigin: null", 403],
    ["another site's page", "Host: localhost\r\nSec-Fetch-Site: cross-site", 403],
    ["a page of another local server", "Host: localhost\r\nOrigin: http://localhost:3000", 401],
  ])("%s is refused by API and WebSocket", async (_, headers, status) => {
    const { service } = await openObservatory();
    for (const more of ["", upgrade]) {
      const client = await openRaw(service.port);
      const path = more === "" ? "/api/sessions" : "/";
      client.send(`GET ${path} HTTP/1.1\r\n${headers}\r\n${more || "Connection: close\r\n"}\r\n`);
      expect(statusOf(await client.closed)).toBe(status);
    }
  });

  test("from an origin that the operator named can read with the token if the API is open", async () => {
    const origin = "https://reader.example";
    const env = { ...guarded, THOUGHTBOX_OBSERVATORY_HTTP_API: "true", THOUGHTBOX_OBSERVATORY_CORS: origin };
    const { get } = await openObservatory({ env });
    expect((await get("/api/sessions", { origin })).status).toBe(401);
    const answer = await get("/api/sessions", { origin, authorization: `Bearer ${token}` });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    const { get: closed } = await openObservatory({
      env: { ...env, THOUGHTBOX_OBSERVATORY_HTTP_API: "false" },
    });
    expect((await closed("/api/sessions", { origin, authorization: `Bearer ${token}` })).status).toBe(403);
  });

  test("cannot write, because every method except GET and HEAD is refused", async () => {
    const { url } = await openObservatory();
    for (const method of ["POST", "PUT", "PATCH", "DELETE"])
      expect((await fetch(`${url}/api/sessions`, { method })).status).toBe(405);
  });
});

test("more pages than the limit are refused, and closing one makes room", async () => {
  const { look } = await openObservatory({ env: { THOUGHTBOX_OBSERVATORY_MAX_CONNECTIONS: "2" } });
  const [first] = [await look(), await look()];
  await expect(look()).rejects.toThrow("503");
  first.socket.close();
  await first.closed;
  await look();
});
