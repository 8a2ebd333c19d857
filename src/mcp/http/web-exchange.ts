import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * Creates only the parts of a web-standard request that the SDK reads. The body and the host have already
 * been checked. Creating a full request would take longer than processing it.
 */
export function toWebRequest(req: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(req.headers)) {
    if (value === undefined || name === "content-length" || name === "transfer-encoding") continue;
    headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  const seen: Pick<Request, "url" | "method" | "headers" | "signal"> = {
    url: `http://localhost${req.url ?? "/"}`,
    method: req.method ?? "GET",
    headers,
    signal,
  };
  return seen as Request;
}

/**
 * Most answers are ready within this time, so that one packet carries both the headers and the answer. A separate
 * packet for the headers would cost as much as a call.
 */
const headersWaitMs = 20;

/**
 * Sends headers early, because an event stream may be silent for a long time. Waits a moment first, because a
 * server that is about to stop announces that in the headers. Reads the body by hand, because a pipeline of
 * streams takes longer than the rest of the exchange.
 */
export async function sendWebResponse(response: Response, res: ServerResponse): Promise<void> {
  // The HTTP layer sets the headers for the connection and caching.
  const {
    connection: _connection,
    "cache-control": _caching,
    ...headers
  } = Object.fromEntries(response.headers);
  const begin = () => {
    if (!res.headersSent && !res.destroyed) res.writeHead(response.status, headers);
  };
  if (response.body === null) {
    begin();
    res.end();
    return;
  }
  const reader = response.body.getReader();
  // The client disconnected. The request's signal has already cancelled the work.
  const leave = () => void reader.cancel().catch(() => {});
  if (res.destroyed) return leave();
  res.once("close", leave).once("error", leave);
  const flush = setTimeout(() => {
    begin();
    res.flushHeaders();
  }, headersWaitMs);
  try {
    for (let part = await reader.read(); !part.done && !res.destroyed; part = await reader.read()) {
      begin();
      if (!res.write(part.value)) await either(res, "drain");
    }
    begin();
    if (!res.destroyed) await either(res.end(), "finish");
  } catch {
    res.destroy();
  } finally {
    clearTimeout(flush);
    res.off("close", leave).off("error", leave);
  }
}

/** Waits for the event, or until the connection ends. */
function either(res: ServerResponse, event: "drain" | "finish"): Promise<void> {
  return new Promise((resolve) => {
    if (res.destroyed) return resolve();
    const done = () => {
      res.off(event, done).off("close", done);
      resolve();
    };
    res.once(event, done).once("close", done);
  });
}

export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  res.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  res.end(text);
}

/** Returns a signal that aborts if the client disconnects before it has the whole answer. */
export function signalOf(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  res.once("close", () => {
    if (!res.writableFinished) controller.abort();
  });
  return controller.signal;
}
