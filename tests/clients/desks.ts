import { type HttpProcess, spawnHttpServer } from "../support/http-process.ts";
import { binary, cleanEnv, nowhere } from "../support/server-process.ts";
import type { Call, Desk } from "./journey.ts";

export const transports = ["stdio", "http"] as const;

/** The parts of any SDK's client that desks need, independent of its transports. */
export type Opened = {
  call: Call;
  /** The process behind a stdio connection. */
  pid?: number | null;
  closed: Promise<unknown>;
};

export type Opener = {
  stdio(server: {
    command: string;
    args: string[];
    env: Record<string, string>;
    cwd: string;
  }): Promise<Opened>;
  http(url: URL): Promise<Opened>;
};

export function openDesk(transport: (typeof transports)[number], opener: Opener, dataDir: string): Desk {
  return transport === "stdio" ? stdioDesk(opener, dataDir) : httpDesk(opener, dataDir);
}

/** Returns a desk whose every connection starts the built binary. */
function stdioDesk({ stdio }: Opener, dataDir: string): Desk {
  const env = { ...cleanEnv(), DISABLE_THOUGHT_LOGGING: "true", THOUGHTBOX_DATA_DIR: dataDir };
  let current: Opened | undefined;
  return {
    async connect() {
      current = await stdio({ command: process.execPath, args: [binary, "stdio"], env, cwd: nowhere });
      return current.call;
    },
    async crash() {
      if (typeof current?.pid !== "number") throw new Error("there is no server process to kill");
      process.kill(current.pid, "SIGKILL");
      await current.closed;
    },
  };
}

/** Starts one server that outlives its connections, until it is killed and started again. */
function httpDesk({ http }: Opener, dataDir: string): Desk {
  let server: HttpProcess | undefined;
  return {
    async connect() {
      server ??= await spawnHttpServer(dataDir);
      return (await http(server.url)).call;
    },
    async crash() {
      server?.child.kill("SIGKILL");
      await server?.exited;
      server = undefined;
    },
  };
}

type ToolResult = { isError?: boolean | undefined; structuredContent?: unknown; content?: unknown };

/** Turns an SDK's `callTool` into a `Call`. */
export function toCall(
  callTool: (request: { name: string; arguments: Record<string, unknown> }) => Promise<ToolResult>,
): Call {
  return async (name, args = {}) => {
    const { isError, structuredContent, content } = await callTool({ name, arguments: args });
    if (isError) throw new Error(`${name} answered ${JSON.stringify(content)}`);
    return structuredContent;
  };
}
