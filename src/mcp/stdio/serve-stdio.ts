import type { Readable, Writable } from "node:stream";
import type { McpRequestContext, Server } from "@modelcontextprotocol/server";
import { serveStdio as serve } from "@modelcontextprotocol/server/stdio";
import { briefErrors } from "../brief-errors.ts";
import { narrowListen } from "../listen.ts";
import type { ResourceUpdates } from "../resource-updates.ts";
import { claimStdout } from "./claim-stdout.ts";
import { createStdioTransport } from "./stdio-transport.ts";

export type Streams = { input: Readable; output: Writable };

export type ServeStdioOptions = {
  factory: (request: McpRequestContext) => Server;
  updates(): Promise<ResourceUpdates>;
  /** Code that requests made load; their time to be answered begins when it is there. */
  loading?(): Promise<void>;
  stop: AbortSignal;
  onError: (error: Error) => void;
  /** Default those of the process, whose stdout is then for frames alone. */
  streams?: Streams;
};

const reader = { era: "modern", transport: "stdio" } as const;

/** Resolves when the client has gone, or `stop` asked to, and everything in flight was answered. */
export function serveStdio({
  factory,
  updates,
  loading,
  stop,
  onError,
  streams: { input, output } = { input: process.stdin, output: claimStdout() },
}: ServeStdioOptions): Promise<void> {
  return new Promise((ended) => {
    let server: Server | undefined;
    let hasEnded = false;
    let stopWatching: (() => void) | undefined;
    const transport = createStdioTransport({
      input,
      output,
      ...(loading && { beforeEnd: loading }),
      onEnd: () => {
        hasEnded = true;
        stopWatching?.();
        ended();
      },
      // The SDK hands a change on to those subscriptions that asked for it.
      onListen: async (message) => {
        const { watch, requireFollowed } = await updates();
        const narrowed = await narrowListen(message, (uri) => requireFollowed(uri, reader));
        if (!hasEnded && "deliver" in narrowed)
          stopWatching ??= watch((uri) => void server?.sendResourceUpdated({ uri }).catch(() => {}));
        return narrowed;
      },
    });
    const remember = (request: McpRequestContext) => {
      server = factory(request);
      return server;
    };
    serve(remember, { transport, onerror: briefErrors(onError) });
    // Ends the same way as when the client closes its side.
    stop.addEventListener("abort", () => input.destroy(), { once: true });
  });
}
