import { createServer, type Server } from "node:http";
import { type Refused, refuse } from "../body/refusal.ts";
import type { HttpLimits } from "../limits.ts";

export function createBareServer(limits: HttpLimits): Server {
  const server = createServer({
    // Admission answers a missing Host, in JSON.
    requireHostHeader: false,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    // Node looks for late clients only this often; its default of 30 s would triple our limit.
    connectionsCheckingInterval: Math.ceil(Math.min(1000, limits.headersMs / 4)),
  });
  server.maxRequestsPerSocket = limits.requestsPerConnection;
  return server;
}

/** The answer to what Node could not read as a request. */
export function toRefusal(error: NodeJS.ErrnoException): Refused {
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return refuse("REQUEST_TIMEOUT", "The request did not arrive in time.");
  }
  if (error.code === "HPE_HEADER_OVERFLOW")
    return refuse("HEADERS_TOO_LARGE", "The request headers are too large.");
  return refuse("REQUEST_INVALID", "This is not a readable HTTP/1.1 request.");
}
