import { Agent, type IncomingHttpHeaders, request as openRequest } from "node:http";
import { text } from "node:stream/consumers";
import {
  type Answer,
  initialized,
  initializeParams,
  legacyVersion,
  modernMeta,
  modernVersion,
  type Params,
  type Result,
  request,
  resultOf,
} from "./messages.ts";

/**
 * Thoughtbox accepts 32 connections per address. As in any client, further callers wait for a free
 * connection.
 */
const connections = 30;

type Headers = Record<string, string>;

export type HttpClient = { call(name: string, args?: Params): Promise<Result>; close(): void };

/** Connects a client with a handshake and a session ID. */
export async function connectLegacy(url: URL): Promise<HttpClient> {
  const { post, close } = createPoster(url);
  const opened = await post(request(0, "initialize", initializeParams), {});
  const headers = {
    "mcp-session-id": String(opened.headers["mcp-session-id"]),
    "mcp-protocol-version": legacyVersion,
  };
  await post(initialized, headers);
  let id = 0;
  return {
    close,
    async call(name, args = {}) {
      id += 1;
      const { answer } = await post(request(id, "tools/call", { name, arguments: args }), headers);
      return resultOf(answer, name);
    },
  };
}

/** Connects a client that identifies itself in every request. */
export function connectModern(url: URL): HttpClient {
  const { post, close } = createPoster(url);
  let id = 0;
  return {
    close,
    async call(name, args = {}) {
      id += 1;
      const headers = {
        "mcp-protocol-version": modernVersion,
        "mcp-method": "tools/call",
        "mcp-name": name,
      };
      const params = { name, arguments: args, _meta: modernMeta };
      const { answer } = await post(request(id, "tools/call", params), headers);
      return resultOf(answer, name);
    },
  };
}

function createPoster(url: URL) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const common = { "content-type": "application/json", accept: "application/json, text/event-stream" };

  const post = (message: object, headers: Headers) =>
    new Promise<{ answer: Answer; headers: IncomingHttpHeaders }>((resolve, reject) => {
      const body = JSON.stringify(message);
      const outgoing = openRequest(url, {
        method: "POST",
        agent,
        headers: { ...common, ...headers, "content-length": Buffer.byteLength(body) },
      });
      outgoing.on("error", reject);
      outgoing.on("response", (response) => {
        text(response).then((received) => {
          if ((response.statusCode ?? 500) >= 300) reject(new Error(`${response.statusCode}: ${received}`));
          else resolve({ answer: parseAnswer(received), headers: response.headers });
        }, reject);
      });
      outgoing.end(body);
    });

  return { post, close: () => agent.destroy() };
}

/** Parses a JSON body, or an event stream that ends with the answer. A notification has no answer. */
function parseAnswer(received: string): Answer {
  if (received.startsWith("{")) return JSON.parse(received) as Answer;
  const events = [...received.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data ?? "") as Answer);
  return events.find(({ id }) => id !== undefined) ?? {};
}
