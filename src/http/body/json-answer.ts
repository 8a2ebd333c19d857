import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

/** All refusals by the HTTP layer. The rooms behind it use the codes in `kernel/`. */
const refusalStatus = {
  HOST_INVALID: 400,
  ORIGIN_INVALID: 400,
  TARGET_INVALID: 400,
  REQUEST_INVALID: 400,
  BODY_NOT_UTF8: 400,
  TOKEN_REQUIRED: 401,
  TOKEN_WRONG: 401,
  ORIGIN_NOT_ALLOWED: 403,
  PATH_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  BODY_TOO_LARGE: 413,
  CONTENT_TYPE_NOT_SUPPORTED: 415,
  EXPECTATION_NOT_SUPPORTED: 417,
  HOST_NOT_ALLOWED: 421,
  TOO_MANY_WRONG_TOKENS: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  TOO_MANY_CONNECTIONS: 503,
  SHUTTING_DOWN: 503,
} as const satisfies Record<string, number>;

export type RefusalCode = keyof typeof refusalStatus;

export type Refused = {
  readonly outcome: "refused";
  readonly status: number;
  readonly code: RefusalCode;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** Messages are fixed texts, because quoting the client would carry its text into logs and pages. */
export function refuse(code: RefusalCode, message: string, headers: Record<string, string> = {}): Refused {
  return { outcome: "refused", status: refusalStatus[code], code, message, headers };
}

const later = { "Retry-After": "5" };
export const tooManyConnections = refuse(
  "TOO_MANY_CONNECTIONS",
  "Too many connections. Close one, then try again.",
  later,
);
export const shuttingDown = refuse("SHUTTING_DOWN", "This server is stopping.", later);

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

/** For answers that are data. A page replaces the Content-Security-Policy with its own. */
export const securityHeaders: Readonly<Record<string, string>> = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cache-Control": "no-store",
};

/** For sockets without a response object: refused upgrades, unreadable requests, connections over the cap. */
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

/** MCP requires a JSON-RPC error without an ID if a web page has no access. */
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

/** CORS never allows credentials here, so `*` can cover all response headers. */
export function corsHeaders(corsOrigin: string): Headers {
  return {
    "Access-Control-Allow-Origin": corsOrigin,
    "Access-Control-Expose-Headers": "*",
    Vary: "Origin",
  };
}

/** An admitted origin may send any header, because headers decide nothing beyond admission. */
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
