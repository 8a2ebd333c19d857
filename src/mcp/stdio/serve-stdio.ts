import type { McpServerFactory } from "@modelcontextprotocol/server";
import { serveStdio as serve } from "@modelcontextprotocol/server/stdio";
import { briefErrors } from "../brief-errors.ts";
import { claimStdout } from "./claim-stdout.ts";
import { createStdioTransport } from "./stdio-transport.ts";

/** Resolves when the client has gone, or `stop` asked to, and everything in flight was answered. */
export function serveStdio(
  factory: McpServerFactory,
  stop: AbortSignal,
  onError: (error: Error) => void,
): Promise<void> {
  return new Promise((ended) => {
    const transport = createStdioTransport({ input: process.stdin, output: claimStdout(), onEnd: ended });
    serve(factory, { transport, onerror: briefErrors(onError) });
    // Ends the same way as when the client closes its side.
    stop.addEventListener("abort", () => process.stdin.destroy(), { once: true });
  });
}
