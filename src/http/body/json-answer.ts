import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Refused } from "./refusal.ts";

/** Answers in JSON. If the client is still sending, the answer also ends the connection. */
export function sendRefusal(
  req: IncomingMessage,
  res: ServerResponse,
  refused: Refused,
  lingerMs: number,
): void {
  if (res.headersSent || res.destroyed) return;
  const body = refused.status === 403 && isRpc(req) ? toRpcBody(refused) : toBody(refused);
  const headers = { ...toHeaders(refused, body), ...(isStillSending(req) ? { Connection: "close" } : {}) };
  res.writeHead(refused.status, headers);
  if (isStillSending(req)) hangUpAfter(req, res, body, lingerMs);
  else res.end(body);
}

/** The headers of answers that contain data. A page replaces the Content-Security-Policy with its own. */
export const securityHeaders: Readonly<Record<string, string>> = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cache-Control": "no-store",
};

/** Refuses on a socket without a response object: upgrades, unreadable requests, too many connections. */
export function writeRefusal(socket: Duplex, refused: Refused): void {
  const body = toBody(refused);
  const headers = { ...securityHeaders, ...toHeaders(refused, body), Connection: "close" };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const statusLine = `HTTP/1.1 ${refused.status} ${STATUS_CODES[refused.status]}\r\n`;
  socket.end(`${statusLine}${lines.join("")}\r\n${body}`, () => socket.destroy());
}

/**
 * Closing a socket with unread input resets it, and the client may lose the answer. So the complete answer is sent
 * first, and the connection ends when the client stops sending or the time is up.
 */
function hangUpAfter(req: IncomingMessage, res: ServerResponse, body: string, lingerMs: number): void {
  const timer = setTimeout(() => res.end(), lingerMs);
  req.once("end", () => res.end());
  res.once("close", () => clearTimeout(timer));
  res.write(body);
  req.resume();
}

function isStillSending(req: IncomingMessage): boolean {
  const announcesBody = Number(req.headers["content-length"] ?? 0) > 0 || "transfer-encoding" in req.headers;
  return announcesBody && !req.complete;
}

function toBody({ code, message }: Refused): string {
  return JSON.stringify({ error: { code, message } });
}

const isRpc = (req: IncomingMessage): boolean => /^\/mcp(?:\?|$)/.test(req.url ?? "");

/** Returns a JSON-RPC error without an ID, as MCP requires if a web page has no access. */
const toRpcBody = ({ code, message }: Refused): string =>
  JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32_600, message, data: { code } } });

function toHeaders(refused: Refused, body: string): Record<string, string> {
  return {
    ...refused.headers,
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": String(Buffer.byteLength(body)),
  };
}

type Headers = Record<string, string>;

/** Returns the CORS headers. They never allow credentials, so `*` can cover all response headers. */
export function corsHeaders(corsOrigin: string): Headers {
  return {
    "Access-Control-Allow-Origin": corsOrigin,
    "Access-Control-Expose-Headers": "*",
    Vary: "Origin",
  };
}

/** Allows an admitted origin to send any header, because after admission no header grants anything. */
export function preflightHeaders(
  corsOrigin: string,
  methods: readonly string[],
  requestedHeaders: string | undefined,
): Headers {
  const isHeaderList = /^[\w!#$%&'*+.^`|~, -]{1,1024}$/.test(requestedHeaders ?? "");
  return {
    ...corsHeaders(corsOrigin),
    "Access-Control-Allow-Methods": methods.join(", "),
    "Access-Control-Max-Age": "600",
    ...(isHeaderList && requestedHeaders ? { "Access-Control-Allow-Headers": requestedHeaders } : {}),
  };
}
