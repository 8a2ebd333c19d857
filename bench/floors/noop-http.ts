import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { createMcpHandler, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { signalOf } from "../../src/mcp/http/web-exchange.ts";
import { createNoopServer } from "./noop-server.ts";

/** The SDK behind a plain HTTP server. Has one legacy session. Requests without a session ID are modern. */
const modern = createMcpHandler(createNoopServer, { legacy: "reject" });
const legacy = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
await createNoopServer().connect(legacy);

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const parsedBody = JSON.parse(await text(req)) as { method?: string };
  const request = toWebRequest(req, signalOf(res));
  const isLegacy = parsedBody.method === "initialize" || req.headers["mcp-session-id"] !== undefined;
  const response = isLegacy
    ? await legacy.handleRequest(request, { parsedBody })
    : await modern.fetch(request, { parsedBody });
  await send(response, res);
}

/** Converts requests and responses as adapters usually do. */
function toWebRequest(req: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(req.headers)) {
    if (value === undefined || name === "content-length" || name === "transfer-encoding") continue;
    headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  return new Request(`http://localhost${req.url ?? "/"}`, { method: req.method ?? "GET", headers, signal });
}

async function send(response: Response, res: ServerResponse): Promise<void> {
  res.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) res.end();
  else await pipeline(Readable.fromWeb(response.body as ReadableStream), res);
}

const server = createServer((req, res) => void answer(req, res).catch(() => res.destroy()));
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stderr.write(`serves MCP at http://127.0.0.1:${port}/mcp\n`);
});
