import type { IncomingMessage, ServerResponse } from "node:http";
import { type AuthInfo, classifyInboundRequest, createMcpHandler } from "@modelcontextprotocol/server";
import type { Admitted } from "../../http/admission.ts";
import { sendRefusal } from "../../http/json-answer.ts";
import type { HttpLimits } from "../../http/limits.ts";
import { readBody } from "../../http/read-body.ts";
import type { Route } from "../../http/routes.ts";
import type { Clock } from "../../kernel/clock.ts";
import { parseMessage } from "../framing/parse-message.ts";
import { createLegacySessions, type LegacyLimits, type ServerFactory } from "./legacy-sessions.ts";
import { sendJson, sendWebResponse, signalOf, toWebRequest } from "./web-exchange.ts";

export type McpEndpointOptions = {
  factory: ServerFactory;
  http: HttpLimits;
  legacy: LegacyLimits;
  clock: Clock;
  onError: (error: Error) => void;
};

/** `/mcp`: one door for both eras. The message itself says which one it belongs to. */
export function createMcpEndpoint({ factory, http, legacy, clock, onError }: McpEndpointOptions) {
  const modern = createMcpHandler(factory, { legacy: "reject", onerror: onError });
  const sessions = createLegacySessions(factory, legacy, clock, onError);

  async function handle(req: IncomingMessage, res: ServerResponse, admitted: Admitted): Promise<void> {
    const message = await readMessage(req, res);
    if (message === "answered") return;
    const authInfo: AuthInfo = { token: "", clientId: admitted.principal, scopes: [] };
    const request = toWebRequest(req, message, signalOf(res));
    const response = isLegacy(request, message)
      ? await sessions.serve(request, message, authInfo)
      : await modern.fetch(request, { parsedBody: message, authInfo });
    await sendWebResponse(response, res);
  }

  /** GET and DELETE have no message; a POST whose message is ill-shaped is answered here. */
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
    if ("drop" in verdict) res.writeHead(202).end();
    else sendJson(res, 400, verdict.answer.length === 1 ? verdict.answer[0] : verdict.answer);
    return "answered";
  }

  const route: Route = { path: "/mcp", methods: ["POST", "GET", "DELETE"], handle };
  return {
    route,
    legacySessions: sessions,
    /** Call before the door drains: streams that only wait must not hold it open. */
    endStreams: () => sessions.endStreams(),
    async close(): Promise<void> {
      sessions.closeAll();
      await modern.close();
    },
  };
}

function isLegacy(request: Request, body: unknown): boolean {
  const header = (name: string) => request.headers.get(name) ?? undefined;
  const protocolVersionHeader = header("mcp-protocol-version");
  const mcpMethodHeader = header("mcp-method");
  const mcpNameHeader = header("mcp-name");
  const outcome = classifyInboundRequest({
    httpMethod: request.method,
    ...(protocolVersionHeader !== undefined && { protocolVersionHeader }),
    ...(mcpMethodHeader !== undefined && { mcpMethodHeader }),
    ...(mcpNameHeader !== undefined && { mcpNameHeader }),
    body,
  });
  return outcome.kind === "legacy";
}
