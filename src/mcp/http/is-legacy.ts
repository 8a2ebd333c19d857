import type { IncomingHttpHeaders } from "node:http";
import { classifyInboundRequest, PROTOCOL_VERSION_META_KEY } from "@modelcontextprotocol/server";

/** Versions are dates and compare as text. */
const firstModernVersion = "2026-07-28";

type Message = { method?: string; params?: { _meta?: Record<string, unknown> } };

/**
 * Whether a request belongs to the legacy era. The SDK decides, and checks a message several times over to do so; where a
 * glance is enough it is not asked: a call that claims the modern era is served or refused there, and what claims it
 * neither by body nor by header is legacy.
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
