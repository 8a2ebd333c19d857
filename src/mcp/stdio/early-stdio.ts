import type { Prompt, Tool } from "@modelcontextprotocol/server";
import { createServerFactory, type Lists, type McpDependencies } from "../server.ts";
import { type Streams, serveStdio } from "./serve-stdio.ts";

/** What lies behind the lists: the catalogue, the store and all that belongs to them. */
type Program = {
  openMcp(): Promise<{ lists: Lists; dependencies: McpDependencies }>;
};

export type BuiltLists = { tools: Tool[]; prompts: Prompt[] };

type EarlyStdioOptions = {
  version: string;
  /** As the build wrote them; `undefined` where they do not hold, and the program has to be asked. */
  built: BuiltLists | undefined;
  loadProgram(): Promise<Program>;
  /** The conversation that the environment names, if it is this client's. */
  findConversation?: (client: string) => string | undefined;
  onError: (error: Error) => void;
  streams?: Streams;
};

/** Clients ask for their lists one after the other; loading would keep them waiting in between. */
const afterListsMs = 100;
/** For clients that ask for no list. */
const afterHandshakeMs = 1_000;

/**
 * Serves before the program is loaded: who the server is and what it offers is known without. The rest follows with
 * the first call, or soon after the handshake: early enough to find the files of this version still there.
 */
export function openEarlyStdio(options: EarlyStdioOptions) {
  const { version, built, loadProgram, findConversation, onError, streams } = options;
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
    ...(findConversation && { findConversation }),
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
    /** Loads nothing any more by itself; closing what was loaded is the business of whoever loads it. */
    stopLoading: () => clearTimeout(soon),
  };
}
