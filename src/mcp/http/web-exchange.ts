import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";

/** The SDK speaks web-standard requests, but never reads this one's body or host: both were checked before. */
export function toWebRequest(req: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(req.headers)) {
    if (value === undefined || name === "content-length" || name === "transfer-encoding") continue;
    headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  return new Request(`http://localhost${req.url ?? "/"}`, { method: req.method ?? "GET", headers, signal });
}

/** Headers go out at once: an event stream may have nothing to say for a long time. */
export async function sendWebResponse(response: Response, res: ServerResponse): Promise<void> {
  // How the connection goes on and what may be kept of an answer is the door's to say.
  const {
    connection: _connection,
    "cache-control": _caching,
    ...headers
  } = Object.fromEntries(response.headers);
  res.writeHead(response.status, headers);
  if (response.body === null) {
    res.end();
    return;
  }
  res.flushHeaders();
  try {
    await pipeline(Readable.fromWeb(response.body as ReadableStream), res);
  } catch {
    // The client left; the request's signal has told whoever was still working.
    res.destroy();
  }
}

export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  res.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  res.end(text);
}

/** Aborts when the client hangs up before it has its whole answer. */
export function signalOf(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  res.once("close", () => {
    if (!res.writableFinished) controller.abort();
  });
  return controller.signal;
}
