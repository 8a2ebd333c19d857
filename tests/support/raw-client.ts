import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from "@modelcontextprotocol/client";
import type { ServerProcess } from "./server-process.ts";

export const eras = ["legacy", "modern"] as const;
export type Era = (typeof eras)[number];

/** What a modern client sends with every request, instead of a handshake. */
const modernMeta = {
  [PROTOCOL_VERSION_META_KEY]: "2026-07-28",
  [CLIENT_INFO_META_KEY]: { name: "test", version: "1" },
  [CLIENT_CAPABILITIES_META_KEY]: {},
};

export function paramsOf(era: Era, params: Record<string, unknown> = {}): Record<string, unknown> {
  return era === "modern" ? { ...params, _meta: modernMeta } : params;
}

/** Connects a client for either era that frames its requests by hand. */
export async function connectRaw(server: ServerProcess, era: Era) {
  if (era === "legacy") await server.initialize();

  const request = (method: string, params: Record<string, unknown> = {}) =>
    server.request(method, paramsOf(era, params));

  /** Makes one gateway call. Returns the result, or `{ error }`. A protocol error fails the test. */
  async function gateway(operation: string, args: Record<string, unknown> = {}): Promise<any> {
    const { result, error } = await request("tools/call", gatewayCall(operation, args));
    if (error) throw new Error(`protocol error ${JSON.stringify(error)}`);
    return result.structuredContent ?? JSON.parse(result.content[0].text);
  }

  return {
    era,
    server,
    request,
    gateway,
    /** Makes a gateway call that must succeed. */
    async call(operation: string, args: Record<string, unknown> = {}): Promise<any> {
      const answer = await gateway(operation, args);
      if (answer.error) throw new Error(`${operation} answered ${JSON.stringify(answer)}`);
      return answer;
    },
    /** Returns the line for a gateway call, for tests that send it themselves. */
    line: (id: unknown, operation: string, args: Record<string, unknown> = {}) =>
      frame(id, "tools/call", paramsOf(era, gatewayCall(operation, args))),
  };
}

export type RawClient = Awaited<ReturnType<typeof connectRaw>>;

const gatewayCall = (operation: string, args: Record<string, unknown>) => ({
  name: "thoughtbox_gateway",
  arguments: { operation, ...args },
});

export function frame(id: unknown, method: string, params: Record<string, unknown> = {}): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
}

/** Starts a session that is ready for thoughts. */
export async function startThinking(client: RawClient, title = "faults"): Promise<string> {
  const { sessionId } = await client.call("start_new", { title });
  await client.call("cipher", { sessionId });
  return sessionId as string;
}
