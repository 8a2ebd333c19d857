import { expect, onTestFinished, test } from "vitest";
import { defaultHttpLimits } from "../../src/http/limits.ts";
import { exchange, statusOf } from "../../src/http/test-support/raw-client.ts";
import {
  initialize,
  jsonHeaders,
  legacyVersion,
  modernRequest,
  openLegacySession,
  post,
  request,
} from "../support/mcp-http.ts";
import { openHttpDoor } from "../support/real-door.ts";
import { tempDir } from "../support/temp-dir.ts";

type Sent = { method?: string; headers?: Record<string, string>; body?: unknown };
type Expected = [
  status: number,
  error: { code: number | string; message?: unknown; data?: object },
  id?: number | null,
];

const list = request(5, "tools/list");
const modernList = modernRequest(5, "tools/list");
const withoutMeta = { ...modernList.headers };
const nested = `${"[".repeat(100)}${"]".repeat(100)}`;
const unknownSession = { "Mcp-Session-Id": "6f3d7c1e-0000-4000-8000-000000000000" };

async function serve(): Promise<URL> {
  const door = await openHttpDoor(tempDir(), {});
  onTestFinished(() => door.close());
  return door.url;
}

function send(url: URL, { method = "POST", headers = {}, body }: Sent): Promise<Response> {
  if (method === "POST") return post(url, body, headers);
  return fetch(url, { method, headers });
}

/** Expects a JSON error that reveals nothing about the program's internals. */
async function checkRefusal(answer: Response, [status, error, id]: Expected): Promise<void> {
  const text = await answer.text();
  expect([answer.status, text]).toEqual([status, expect.anything()]);
  expect(answer.headers.get("content-type")).toMatch(/^application\/json\b/);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  const body = JSON.parse(text);
  expect(body).toMatchObject({ error });
  if (id !== undefined) expect(body).toMatchObject({ jsonrpc: "2.0", id });
  expect(text).not.toMatch(/node_modules|node:|\bat \w+ \(|\.[mc]?[jt]s\b|\/home|\/tmp|\/work/);
}

test.each<[string, Sent, Expected]>([
  ["text that is not JSON", { body: '{"jsonrpc":"2.0","id":5,' }, [400, { code: -32700 }, 5]],
  ["an empty body", { body: "" }, [400, { code: -32700 }, null]],
  ["JSON that is not a message", { body: "5" }, [400, { code: -32600 }, null]],
  ["a message without a version", { body: { id: 5, method: "tools/list" } }, [400, { code: -32600 }, 5]],
  ["a request whose id is null", { body: { ...list, id: null } }, [400, { code: -32600 }, null]],
  ["parameters in a list", { body: { ...list, params: [1] } }, [400, { code: -32602 }, 5]],
  [
    "an ill-shaped notification",
    { body: { jsonrpc: "2.0", method: "a", params: 1 } },
    [400, { code: -32600 }, null],
  ],
  ["a batch of one", { body: [list] }, [400, { code: -32600 }, 5]],
  ["an empty batch", { body: [] }, [400, { code: -32600 }, null]],
  [
    "nesting beyond the limit",
    { body: `{"jsonrpc":"2.0","id":5,"method":"x","params":{"a":${nested}}}` },
    [400, { code: -32600 }, 5],
  ],
  [
    "half a surrogate pair",
    { body: '{"jsonrpc":"2.0","id":5,"method":"x","params":{"a":"\\ud800"}}' },
    [400, { code: -32602 }, 5],
  ],
  ["a legacy call without Mcp-Session-Id", { body: list }, [400, { code: -32000 }, 5]],
  [
    "a legacy call with an unknown Mcp-Session-Id",
    { body: list, headers: unknownSession },
    [404, { code: -32001 }, 5],
  ],
  [
    "initialize that does not accept event streams",
    { body: initialize, headers: { Accept: "application/json" } },
    [406, { code: -32000 }],
  ],
  [
    "initialize that accepts event streams only",
    { body: initialize, headers: { Accept: "text/event-stream" } },
    [406, { code: -32000 }],
  ],
  [
    "GET without Mcp-Session-Id",
    { method: "GET", headers: { Accept: "text/event-stream" } },
    [400, { code: -32000 }, null],
  ],
  [
    "GET with an unknown Mcp-Session-Id",
    { method: "GET", headers: { Accept: "text/event-stream", ...unknownSession } },
    [404, { code: -32001 }, null],
  ],
  ["DELETE without Mcp-Session-Id", { method: "DELETE" }, [400, { code: -32000 }, null]],
  [
    "DELETE with an unknown Mcp-Session-Id",
    { method: "DELETE", headers: unknownSession },
    [404, { code: -32001 }, null],
  ],
  ["a modern call without its envelope", { body: list, headers: withoutMeta }, [400, { code: -32602 }, 5]],
  [
    "a modern call without the protocol version header",
    { body: modernList.body, headers: { "Mcp-Method": "tools/list" } },
    [400, { code: -32020 }, 5],
  ],
  [
    "a modern call without the method header",
    { body: modernList.body, headers: { "MCP-Protocol-Version": "2026-07-28" } },
    [400, { code: -32020 }, 5],
  ],
  [
    "a modern call whose header names another method",
    { body: modernList.body, headers: { ...modernList.headers, "Mcp-Method": "tools/call" } },
    [400, { code: -32020 }, 5],
  ],
  ["a modern method that does not exist", modernRequest(5, "tools/destroy"), [404, { code: -32601 }, 5]],
  ["a method that went with the legacy era", modernRequest(5, "ping"), [404, { code: -32601 }, 5]],
  [
    "a page of another site",
    { body: list, headers: { Origin: "https://evil.example" } },
    [403, { code: -32600, data: { code: "ORIGIN_NOT_ALLOWED" } }, null],
  ],
  ["PUT", { method: "PUT" }, [405, { code: "METHOD_NOT_ALLOWED" }]],
  ["PATCH", { method: "PATCH" }, [405, { code: "METHOD_NOT_ALLOWED" }]],
  [
    "a body that is not called JSON",
    { body: list, headers: { "Content-Type": "text/plain" } },
    [415, { code: "CONTENT_TYPE_NOT_SUPPORTED" }],
  ],
])("refuses %s", async (_what, sent, expected) => {
  await checkRefusal(await send(await serve(), sent), expected);
});

test("a browser that opens the port receives an explanation and the address of the Observatory", async () => {
  const { origin } = await serve();
  await checkRefusal(await fetch(origin), [
    404,
    { code: "PATH_NOT_FOUND", message: expect.stringMatching(/MCP clients.*\/mcp.*thoughtbox observatory/) },
  ]);
});

test("each request in a batch is refused with its own ID", async () => {
  const answer = await post(await serve(), [list, request(6, "ping"), { jsonrpc: "2.0", method: "x" }]);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject([
    { id: 5, error: { code: -32600 } },
    { id: 6, error: { code: -32600 } },
  ]);
});

test("a wrong method is answered with the allowed ones", async () => {
  const answer = await fetch(await serve(), { method: "PUT" });
  expect(answer.headers.get("allow")).toBe("POST, GET, DELETE");
});

test.each<[string, Record<string, string>, Expected]>([
  ["no Accept for its answer", { Accept: "application/json" }, [406, { code: -32000 }]],
  [
    "a protocol version that does not exist",
    { "MCP-Protocol-Version": "1999-01-01" },
    [400, { code: -32000 }],
  ],
])("a legacy call with a session but %s is refused", async (_what, headers, expected) => {
  const url = await serve();
  const session = await openLegacySession(url);
  await checkRefusal(await post(url, list, { ...session, ...headers }), expected);
});

test("a legacy call can omit the protocol version, as clients of 2025-03-26 do", async () => {
  const url = await serve();
  const { "MCP-Protocol-Version": version, ...session } = await openLegacySession(url);
  expect(version).toBe(legacyVersion);
  expect((await post(url, list, session)).status).toBe(200);
});

test("an ended session stays ended", async () => {
  const url = await serve();
  const session = await openLegacySession(url);
  expect((await fetch(url, { method: "DELETE", headers: session })).status).toBe(200);
  await checkRefusal(await post(url, list, session), [404, { code: -32001 }, 5]);
  await checkRefusal(await fetch(url, { method: "DELETE", headers: session }), [404, { code: -32001 }]);
});

test("a body over the limit is refused with or without a length, and one at the limit is read", async () => {
  const url = await serve();
  const { bodyBytes } = defaultHttpLimits;
  const tooLarge: Expected = [413, { code: "BODY_TOO_LARGE" }];
  await checkRefusal(await post(url, "x".repeat(bodyBytes + 1)), tooLarge);
  const stream = new Blob(["x".repeat(bodyBytes + 1)]).stream();
  const chunked = { method: "POST", headers: jsonHeaders, body: stream, duplex: "half" } as RequestInit;
  await checkRefusal(await fetch(url, chunked), tooLarge);
  await checkRefusal(await post(url, " ".repeat(bodyBytes)), [400, { code: -32700 }, null]);
});

test("a host name that is not valid in a URL does not cause a 500", async () => {
  const url = await serve();
  const body = JSON.stringify(modernList.body);
  const headers = Object.entries({ ...jsonHeaders, ...modernList.headers });
  const answer = await exchange(
    Number(url.port),
    [
      "POST /mcp HTTP/1.1",
      "Host: xn--a.localhost",
      ...headers.map(([name, value]) => `${name}: ${value}`),
      `Content-Length: ${body.length}`,
    ],
    body,
  );
  expect(statusOf(answer)).toBe(200);
});
