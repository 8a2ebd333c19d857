import { type Readable, Writable } from "node:stream";
import type { McpRequestContext, Prompt, Server, Tool } from "@modelcontextprotocol/server";
import { serveStdio as serve } from "@modelcontextprotocol/server/stdio";
import { briefErrors, narrowListen } from "../listen.ts";
import type { ResourceUpdates } from "../resource-updates.ts";
import { createServerFactory, type Lists, type McpDependencies } from "../server.ts";
import { createStdioTransport } from "./stdio-transport.ts";

export type Streams = { input: Readable; output: Writable };

export type ServeStdioOptions = {
  factory: (request: McpRequestContext) => Server;
  updates(): Promise<ResourceUpdates>;
  /** Waits until the code that the requests need is loaded. The time limit for their answers starts afterwards. */
  loading?(): Promise<void>;
  stop: AbortSignal;
  onError: (error: Error) => void;
  /** Default: the streams of the process. The process's stdout then carries only frames. */
  streams?: Streams;
};

const reader = { era: "modern", transport: "stdio" } as const;

/** Resolves when the client has disconnected or `stop` was aborted, and every request in flight was answered. */
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
      // The SDK passes a change to the subscriptions that asked for it.
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
    // Ends as if the client had closed its side. A signal during startup may already have aborted `stop`.
    if (stop.aborted) input.destroy();
    else stop.addEventListener("abort", () => input.destroy(), { once: true });
  });
}

type StandardStreams = { stdout: Writable; stderr: Writable };

/**
 * Reserves stdout for frames. From now on, anything else that writes there, such as console.log or a library,
 * writes to stderr. This redirection lasts until the process ends.
 */
export function claimStdout({ stdout, stderr }: StandardStreams = process): Writable {
  const writeToStdout = stdout.write.bind(stdout);
  const frames = new Writable({
    decodeStrings: false,
    write: (chunk, encoding, done) => {
      writeToStdout(chunk, encoding, done);
    },
  });
  stdout.on("error", (error) => frames.destroy(error));
  stdout.on("close", () => frames.destroy());
  // If no program reads stderr, log lines are lost, but that must not end the server.
  stderr.on("error", () => {});

  const writeToStderr = stderr.write.bind(stderr) as (...args: unknown[]) => boolean;
  // Nothing waits for stderr, because a client need not read it. Waiting for "drain" or for a callback could delay the
  // exit.
  const reroute = (args: unknown[]): void => {
    const callback = args.find((arg) => typeof arg === "function") as (() => void) | undefined;
    const [chunk, encoding] = args.filter((arg) => typeof arg !== "function");
    if (chunk !== undefined) writeToStderr(chunk, encoding);
    if (callback) process.nextTick(callback);
  };
  stdout.write = (...args: unknown[]) => {
    reroute(args);
    return true;
  };
  stdout.end = (...args: unknown[]) => {
    reroute(args);
    return stdout;
  };
  return frames;
}

/** Everything except the lists: the catalogue, the store and their code. */
type Program = {
  openMcp(): Promise<{ lists: Lists; dependencies: McpDependencies }>;
};

export type BuiltLists = { tools: Tool[]; prompts: Prompt[] };

type EarlyStdioOptions = {
  version: string;
  /**
   * The lists that the build wrote. `undefined` if they are not valid, and the program has to be loaded
   * first.
   */
  built: BuiltLists | undefined;
  loadProgram(): Promise<Program>;
  /** The conversations named by environment variables. Keys are the beginnings of client names. */
  conversations?: ReadonlyMap<string, () => string | undefined>;
  onError: (error: Error) => void;
  streams?: Streams;
};

/** The delay between sending the list of tools and loading. Clients request the other lists in that time. */
const afterListsMs = 100;
/** The delay between the handshake and loading if the client requests no list. */
const afterHandshakeMs = 1_000;

/**
 * Serves before the program is loaded, because the server's description and lists are already built. The rest
 * is loaded at the first call, or soon after the handshake, while the files of this version still exist.
 */
export function openEarlyStdio(options: EarlyStdioOptions) {
  const { version, built, loadProgram, conversations, onError, streams } = options;
  let mcp: ReturnType<Program["openMcp"]> | undefined;
  let soon: NodeJS.Timeout | undefined;
  const load = () => {
    mcp ??= loadProgram().then((program) => program.openMcp());
    return mcp;
  };
  const loadIn = (ms: number) => {
    clearTimeout(soon);
    if (mcp === undefined) soon = setTimeout(() => load().catch(onError), ms).unref();
  };

  const lists: Lists = {
    async tools() {
      if (!built) return (await load()).lists.tools();
      loadIn(afterListsMs);
      return built.tools;
    },
    prompts: async () => built?.prompts ?? (await load()).lists.prompts(),
  };
  const dependencies = async () => (await load()).dependencies;
  const createServer = createServerFactory({
    version,
    transport: "stdio",
    lists,
    dependencies,
    ...(conversations && { conversations }),
  });

  return {
    serveStdio: (stop: AbortSignal) =>
      serveStdio({
        factory: (request) => {
          if (soon === undefined) loadIn(afterHandshakeMs);
          return createServer(request);
        },
        updates: async () => (await dependencies()).updates,
        loading: async () => void (await mcp),
        stop,
        onError,
        ...(streams && { streams }),
      }),
    /** Stops loading. The caller closes what is already loaded. */
    stopLoading: () => clearTimeout(soon),
  };
}
