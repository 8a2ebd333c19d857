import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createMcpHandler, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { sendWebResponse, signalOf, toWebRequest } from "../../src/mcp/http/web-exchange.ts";
import { createNoopServer } from "./noop-server.ts";

/** The SDK behind a bare HTTP server: one legacy session, and whatever comes without a session id is modern. */
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
  await sendWebResponse(response, res);
}

const server = createServer((req, res) => void answer(req, res).catch(() => res.destroy()));
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stderr.write(`serves MCP at http://127.0.0.1:${port}/mcp\n`);
});
