import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import {
  classifyInboundRequest,
  createMcpHandler,
  INVALID_REQUEST,
  PROTOCOL_VERSION_META_KEY,
} from "@modelcontextprotocol/server";
import type { Admitted } from "../../http/admission/admission.ts";
import { readHost } from "../../http/admission/authority.ts";
import { sendRefusal } from "../../http/body/json-answer.ts";
import { readBody } from "../../http/body/read-body.ts";
import { defaultHttpLimits, type HttpLimits } from "../../http/limits.ts";
import type { Endpoint } from "../../http/serve-endpoints.ts";
import type { Clock } from "../../kernel/clock.ts";
import { toProjectName } from "../../operations/pipeline/context.ts";
import type { ConnectionBook } from "../../ports/conversations.ts";
import type { Reader } from "../ask-ledger.ts";
import { type ErrorAnswer, errorAnswer } from "../framing/error-answer.ts";
import { isListen } from "../framing/message-check.ts";
import { parseMessage } from "../framing/parse-message.ts";
import { rightsIn, toAuthInfo } from "../identify-caller.ts";
import { briefErrors, narrowListen } from "../listen.ts";
import type { ResourceUpdates } from "../resource-updates.ts";
import {
  createLegacySessions,
  defaultLegacyLimits,
  type LegacyLimits,
  type ServerFactory,
} from "./legacy-sessions.ts";
import { sendJson, sendWebResponse, signalOf, toWebRequest } from "./web-exchange.ts";

export type McpEndpointOptions = {
  factory: ServerFactory;
  clock: Clock;
  /** If omitted, clients receive no resource updates. */
  updates?: ResourceUpdates;
  /** The port of this process's Observatory while it is open. */
  observatoryPort?: () => number | undefined;
  onError: (error: Error) => void;
  http?: HttpLimits;
  legacy?: LegacyLimits;
  /** Present if several servers share the store. */
  connections?: ConnectionBook | undefined;
};

export type McpEndpoint = Endpoint & { readonly legacySessions: { readonly size: number } };

/** Versions are dates and compare as text. */
const firstModernVersion = "2026-07-28";

type Message = { method?: string; params?: { _meta?: Record<string, unknown> } };

/**
 * True if a request belongs to the legacy era. The SDK could decide this, but it checks a message several
 * times to do so. Two cases are decided here. A call that claims the modern era in its body is modern. A
 * request that does not claim the modern era in its body or in a header is legacy.
 */
export function isLegacy(httpMethod: string, headers: IncomingHttpHeaders, message: unknown): boolean {
  if (httpMethod !== "POST") return true;
  const { method, params } = (message ?? {}) as Message;
  const version = headerIn(headers, "mcp-protocol-version");
  const claimsByBody = params?._meta !== undefined && PROTOCOL_VERSION_META_KEY in params._meta;
  if (claimsByBody && method !== undefined && method !== "initialize") return false;
  if (!claimsByBody && (version === undefined || version < firstModernVersion)) return true;
  const mcpMethod = headerIn(headers, "mcp-method");
  const mcpName = headerIn(headers, "mcp-name");
  const outcome = classifyInboundRequest({
    httpMethod,
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(mcpMethod !== undefined && { mcpMethodHeader: mcpMethod }),
    ...(mcpName !== undefined && { mcpNameHeader: mcpName }),
    body: message,
  });
  return outcome.kind === "legacy";
}

function headerIn(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

/** Serves both protocol eras at `/mcp`. Each message shows which era it belongs to. */
export function createMcpEndpoint({
  factory,
  clock,
  updates = { watch: () => () => {}, requireFollowed: async () => {} },
  http = defaultHttpLimits,
  legacy = defaultLegacyLimits,
  ...options
}: McpEndpointOptions): McpEndpoint {
  const onError = briefErrors(options.onError);
  let stopWatching: (() => void) | undefined;
  const calls = createMcpHandler(factory, { legacy: "reject", onerror: onError });
  // Subscriptions end before calls in progress do, so they have their own handler.
  const subscriptions = createMcpHandler(factory, { legacy: "reject", onerror: onError, bus: calls.bus });
  const sessions = createLegacySessions(factory, legacy, clock, onError, options.connections);

  async function handle(req: IncomingMessage, res: ServerResponse, admitted: Admitted): Promise<void> {
    const message = await readMessage(req, res);
    if (message === "answered") return;
    const authInfo = toAuthInfo(admitted, projectIn(req.url));
    const request = toWebRequest(req, signalOf(res));
    const send = (response: Response) => sendWebResponse(response, res);
    if (isLegacy(request.method, req.headers, message))
      return sessions.serve(request, message, authInfo, send);
    if (!isListen(message)) return send(await calls.fetch(request, { parsedBody: message, authInfo }));
    const { principal } = admitted;
    const reader: Reader = { era: "modern", transport: "http", principal, ...rightsIn(authInfo) };
    const narrowed = await narrowListen(message, (uri) => updates.requireFollowed(uri, reader));
    if ("refuse" in narrowed) return sendJson(res, 400, narrowed.refuse);
    stopWatching ??= updates.watch((uri) => subscriptions.notify.resourceUpdated(uri));
    await send(await subscriptions.fetch(request, { parsedBody: narrowed.deliver, authInfo }));
  }

  /** Reads a POST's message and answers a malformed one. GET and DELETE requests contain no message. */
  async function readMessage(req: IncomingMessage, res: ServerResponse): Promise<unknown> {
    if (req.method !== "POST") return undefined;
    const body = await readBody(req, http);
    if (body.outcome === "aborted") return "answered";
    if (body.outcome === "refused") {
      sendRefusal(req, res, body, http.lingerMs);
      return "answered";
    }
    const verdict = parseMessage(body.text);
    if ("deliver" in verdict) return verdict.deliver;
    sendJson(res, 400, "drop" in verdict ? refuseDropped(verdict.drop) : oneOrAll(verdict.answer));
    return "answered";
  }

  return {
    routes: [
      { path: "/mcp", methods: ["POST", "GET", "DELETE"], handle },
      {
        path: "/",
        methods: ["GET"],
        handle: async (req, res) => sendJson(res, 404, notForPeople(req, options.observatoryPort?.())),
      },
    ],
    legacySessions: sessions,
    async endStreams(): Promise<void> {
      sessions.endStreams();
      stopWatching?.();
      await subscriptions.close();
    },
    async close(): Promise<void> {
      sessions.closeAll();
      await calls.close();
    },
  };
}

/** Returns the project in a URL such as `/mcp?project=shop`. The client's sessions belong to that project. */
function projectIn(target = ""): string | undefined {
  const named = new URLSearchParams(target.split("?", 2)[1]).get("project")?.trim();
  return named ? toProjectName(named) : undefined;
}

/** Returns the error for a dropped message. Over HTTP, even a malformed notification gets a response. */
const refuseDropped = (reason: string) => errorAnswer(null, { code: INVALID_REQUEST, message: reason });

/** Refers a person who opens the port in a browser to the Observatory. */
function notForPeople({ rawHeaders }: IncomingMessage, observatoryPort: number | undefined) {
  const name = readHost(rawHeaders)?.name ?? "localhost";
  const how =
    observatoryPort === undefined ? "run thoughtbox observatory." : `open http://${name}:${observatoryPort}/`;
  return {
    error: {
      code: "PATH_NOT_FOUND",
      message: `This port is for MCP clients, which send their calls to /mcp. To see sessions in a browser, ${how}`,
    },
  };
}

const oneOrAll = (answers: ErrorAnswer[]) => (answers.length === 1 ? answers[0] : answers);
