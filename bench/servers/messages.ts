/** Hand-written client messages, because a client library would cost more than some of the servers. */

export const legacyVersion = "2025-11-25";
export const modernVersion = "2026-07-28";

const clientInfo = { name: "bench", version: "1" };

export type Params = Record<string, unknown>;

export const request = (id: number, method: string, params: Params) => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});

export const initializeParams: Params = {
  protocolVersion: legacyVersion,
  capabilities: {},
  clientInfo,
};

export const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };

/** What a modern client sends with every request, instead of a handshake. */
export const modernMeta = {
  "io.modelcontextprotocol/protocolVersion": modernVersion,
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {},
};

export type Answer = { id?: number; result?: Result; error?: unknown };
// biome-ignore lint/suspicious/noExplicitAny: every server's answers have a different shape
export type Result = any;

/** Throws if a call failed, because a failed call is fast and would flatter the figures. */
export function resultOf({ result, error }: Answer, what: string): Result {
  if (error || result?.isError) {
    throw new Error(`${what} was refused: ${JSON.stringify(error ?? result).slice(0, 500)}`);
  }
  return result;
}
