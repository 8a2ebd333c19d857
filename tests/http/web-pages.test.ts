import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { bodyOf, exchange, statusOf } from "../../src/http/test-support/raw-client.ts";
import { spawnHttpServer } from "../support/http-process.ts";
import { initialize, jsonHeaders, modernRequest } from "../support/mcp-http.ts";
import { openHttpDoor } from "../support/real-door.ts";
import { tempDir } from "../support/temp-dir.ts";

const start = modernRequest(1, "tools/call", { name: "start_new", arguments: { sessionTitle: "planted" } });
const mcpHeaders = Object.entries({ ...jsonHeaders, ...start.headers }).map(
  ([name, value]) => `${name}: ${value}`,
);

function postLines(body: object, ...lines: string[]): [lines: string[], body: string] {
  const text = JSON.stringify(body);
  return [["POST /mcp HTTP/1.1", ...lines, ...mcpHeaders, `Content-Length: ${text.length}`], text];
}

async function serve(dataDir = tempDir(), env: Record<string, string> = {}): Promise<number> {
  const door = await openHttpDoor(dataDir, env);
  onTestFinished(() => door.close());
  return Number(door.url.port);
}

const strangers: [who: string, status: number, lines: string[]][] = [
  ["a page of another site", 403, ["Host: localhost", "Origin: https://evil.example"]],
  ["a page in a sandbox or from a file", 403, ["Host: localhost", "Origin: null"]],
  [
    "a page whose name was rebound to this machine",
    421,
    ["Host: evil.example", "Origin: http://evil.example"],
  ],
  ["a rebound page that hides its origin", 421, ["Host: evil.example"]],
  ["a page on a name that looks like localhost", 421, ["Host: localhost.evil.example"]],
  [
    "a page whose origin looks like localhost",
    403,
    ["Host: localhost", "Origin: http://localhost.evil.example"],
  ],
  [
    "a page whose origin hides behind a user name",
    403,
    ["Host: localhost", "Origin: http://localhost@evil.example"],
  ],
  ["an image or a form of another site", 403, ["Host: localhost", "Sec-Fetch-Site: cross-site"]],
  ["a second Host", 400, ["Host: localhost", "Host: evil.example"]],
  ["a second Origin", 400, ["Host: localhost", "Origin: http://localhost", "Origin: https://evil.example"]],
  ["a tunnel to the outside", 401, ["Host: localhost", "X-Forwarded-For: 203.0.113.9"]],
];

describe("what a web page can reach at /mcp", () => {
  test.each(strangers)("%s gets only a refusal", async (_who, status, lines) => {
    const port = await serve();
    for (const message of [start.body, initialize]) {
      const answer = await exchange(port, ...postLines(message, ...lines));
      expect(statusOf(answer)).toBe(status);
      const text = expect.any(String);
      expect(bodyOf(answer)).toEqual(
        status === 403
          ? { jsonrpc: "2.0", id: null, error: { code: -32600, message: text, data: { code: text } } }
          : { error: { code: text, message: text } },
      );
      expect(answer).not.toMatch(/mcp-session-id|access-control-allow-origin/i);
    }
    const sessions = modernRequest(2, "tools/call", { name: "list_sessions" });
    const [question, text] = postLines(sessions.body, "Host: localhost");
    const named = question.map((line) => line.replace("Mcp-Name: start_new", "Mcp-Name: list_sessions"));
    expect(await exchange(port, named, text)).toContain('"total":0');
  });

  test("a page of another local server needs the token, but MCP Inspector does not", async () => {
    const port = await serve();
    const from = async (origin: string) =>
      statusOf(await exchange(port, ...postLines(start.body, "Host: localhost", `Origin: ${origin}`)));
    for (const origin of ["http://localhost:3000", "http://127.0.0.1:8080", "http://app.localhost"])
      expect(await from(origin)).toBe(401);
    for (const origin of [`http://localhost:6274`, `http://127.0.0.1:6274`])
      expect(await from(origin)).toBe(200);
  });

  test("the Observatory's page is trusted only at the address that it listens on", async () => {
    const enabled = { THOUGHTBOX_OBSERVATORY_ENABLED: "true", THOUGHTBOX_OBSERVATORY_PORT: "0" };
    const { url, stderr } = await spawnHttpServer(tempDir(), enabled);
    const [, port] = /127\.0\.0\.1:(\d+)(?![^\s]*mcp)/.exec(stderr()) ?? [];
    const from = async (name: string) => {
      const page = `Origin: http://${name}:${port}`;
      return statusOf(await exchange(Number(url.port), ...postLines(start.body, "Host: localhost", page)));
    };
    expect([await from("127.0.0.1"), await from("localhost"), await from("[::1]")]).toEqual([200, 401, 401]);
  });

  test.each(["GET", "DELETE", "OPTIONS"])(
    "%s from a foreign page is refused like everything else",
    async (method) => {
      const port = await serve();
      const ask = ["Access-Control-Request-Method: POST", "Access-Control-Request-Headers: content-type"];
      const lines = [`${method} /mcp HTTP/1.1`, "Host: localhost", "Origin: https://evil.example", ...ask];
      const answer = await exchange(port, lines);
      expect(statusOf(answer)).toBe(403);
      expect(answer).not.toMatch(/access-control/i);
    },
  );

  test("the token gives access only to origins on the list", async () => {
    const dataDir = tempDir();
    const env = { THOUGHTBOX_ALLOWED_ORIGINS: "https://app.example" };
    const port = await serve(dataDir, env);
    const bearer = `Authorization: Bearer ${readFileSync(join(dataDir, "token"), "utf8").trim()}`;
    const from = (origin: string) =>
      exchange(port, ...postLines(start.body, "Host: localhost", `Origin: ${origin}`, bearer));
    expect(statusOf(await from("https://app.example"))).toBe(200);
    expect(statusOf(await from("https://evil.example"))).toBe(403);
  });
});
