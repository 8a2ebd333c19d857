import { join } from "node:path";
import {
  Client,
  ProtocolError,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import type { Reply } from "../../src/kernel/reply.ts";
import type { Root } from "../../src/operations/pipeline/context.ts";
import { toolName } from "../../src/operations/pipeline/normalise.ts";
import { serveOverPipes } from "./pipes/serve-over-pipes.ts";
import { binary, cleanEnv, nowhere } from "./server-process.ts";

export type Era = "legacy" | "modern";

/**
 * Opens connections to one served store. Each connection is a separate client, and `close` closes all of
 * them.
 */
export type RealDoor = {
  /** Connects a client. Calls `roots` each time the server asks for roots, which can be at any time. */
  connect(era: Era, roots?: () => readonly Root[], name?: string): Promise<RealConnection>;
  close(): Promise<void>;
};

export type RealConnection = {
  client: Client;
  call(name: string, args: unknown, meta?: Meta): Promise<Reply>;
};

type Meta = Record<string, unknown>;

/** Concurrent calls. Further calls wait, because Node warns of a leak if over ten writers wait for a pipe. */
const defaultCallsAtOnce = 10;

const contentDir = join(import.meta.dirname, "..", "..", "content");

const modes = { legacy: "legacy", modern: { pin: "2026-07-28" } } as const;

/**
 * To detect a server's era, the SDK starts a separate process and discards it. For a transport class other
 * than its own, it uses the same connection. With this subclass, a modern connection needs only one process.
 */
class OneProcessTransport extends StdioClientTransport {}

/** Opens a door whose every connection starts the built binary, as a real client would. */
export function openStdioDoor(dataDir: string, env: Record<string, string>): RealDoor {
  const clients = createClients();
  const serverEnv = {
    ...cleanEnv(),
    DISABLE_THOUGHT_LOGGING: "true",
    THOUGHTBOX_DATA_DIR: dataDir,
    ...env,
  };
  return {
    async connect(era, roots, name) {
      const server = { command: process.execPath, args: [binary, "stdio"], env: serverEnv, cwd: nowhere };
      const transport = new OneProcessTransport({ ...server, stderr: "ignore" });
      const client = await clients.connect(era, roots, transport, name);
      const takeTurn = createLanes(defaultCallsAtOnce);
      return { client, call: (name, args, meta) => takeTurn(() => callTool(client, name, args, meta)) };
    },
    close: clients.close,
  };
}

/**
 * Like `openStdioDoor`, but over streams in this process. Each connection has its own program, transport and
 * real client, but no process to start, which would cost more than most tests.
 */
export function openPipeDoor(dataDir: string, env: Record<string, string>): RealDoor {
  const clients = createClients();
  const ends: (() => Promise<void>)[] = [];
  return {
    async connect(era, roots, name) {
      const { input, output, end } = serveOverPipes(dataDir, env);
      ends.push(end);
      // Despite its name, the server transport works for the client, because lines go both ways.
      const client = await clients.connect(era, roots, new StdioServerTransport(output, input), name);
      const takeTurn = createLanes(defaultCallsAtOnce);
      return { client, call: (name, args, meta) => takeTurn(() => callTool(client, name, args, meta)) };
    },
    async close() {
      await clients.close();
      await Promise.all(ends.splice(0).map((end) => end()));
    },
  };
}

/** Starts one HTTP server in this process, on a free port. */
export async function openHttpDoor(
  dataDir: string,
  env: Record<string, string>,
  { callsAtOnce = defaultCallsAtOnce } = {},
): Promise<RealDoor & { url: URL }> {
  const overrides = {
    HOST: "127.0.0.1",
    PORT: "0",
    DISABLE_THOUGHT_LOGGING: "true",
    THOUGHTBOX_DATA_DIR: dataDir,
  };
  const config = readConfig({ env: { ...overrides, ...env } });
  const app = createApp({ config, version: "0.0.0-test", contentDir, log: () => {} });
  const service = await app.serveHttp();
  const url = new URL(`http://127.0.0.1:${service.port}/mcp`);
  const door = openRemoteDoor(url, callsAtOnce);
  return {
    ...door,
    url,
    async close() {
      await door.close();
      await service.stop(0);
      await app.close();
    },
  };
}

/** Opens a door for clients of any MCP server at this address. */
export function openRemoteDoor(url: URL, callsAtOnce = defaultCallsAtOnce): RealDoor {
  const clients = createClients();
  const takeTurn = createLanes(callsAtOnce);
  return {
    async connect(era, roots, name) {
      const client = await clients.connect(era, roots, new StreamableHTTPClientTransport(url), name);
      return { client, call: (name, args, meta) => takeTurn(() => callTool(client, name, args, meta)) };
    },
    close: clients.close,
  };
}

function createClients() {
  const clients: Client[] = [];
  return {
    async connect(
      era: Era,
      roots: (() => readonly Root[]) | undefined,
      transport: Transport,
      name = "journey",
    ) {
      const client = new Client(
        { name, version: "1" },
        { versionNegotiation: { mode: modes[era] }, capabilities: roots ? { roots: {} } : {} },
      );
      if (roots)
        client.setRequestHandler("roots/list", async () => ({
          roots: roots().map((root) => ({ ...root })) as never,
        }));
      clients.push(client);
      await client.connect(transport);
      return client;
    },
    async close() {
      await Promise.all(clients.splice(0).map((client) => client.close().catch(() => {})));
    },
  };
}

function createLanes(width: number) {
  const waiting: (() => void)[] = [];
  let free = width;
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}

/** Converts an answer back to the form that `perform` returned, and compares its text and structured forms. */
async function callTool(client: Client, name: string, args: unknown, meta?: Meta): Promise<Reply> {
  const call = {
    name: toolName(name),
    arguments: args as Record<string, unknown>,
    ...(meta && { _meta: meta }),
  };
  const result = await client.callTool(call).catch((thrown) => {
    throw toProtocolError(thrown);
  });
  const [first] = result.content as { type: string; text: string }[];
  const body = result.structuredContent as Record<string, any>;
  if (result.isError) {
    if (body !== undefined) throw new Error("an error has a structure beside its text");
    return { kind: "error", error: JSON.parse(first?.text ?? "").error };
  }
  const markdown = ["markdown", "content"].map((field) => body[field]).find((held) => held === first?.text);
  if (markdown === undefined && first?.text !== JSON.stringify(body))
    throw new Error("text and structure of an answer differ");
  return { kind: "result", result: body, ...(markdown !== undefined && { markdown }) };
}

/** Extracts the protocol error. Over HTTP, a legacy client shows it as a failed POST. */
function toProtocolError(thrown: unknown): unknown {
  if (!(thrown instanceof SdkHttpError) || typeof thrown.data["text"] !== "string") return thrown;
  const { error } = JSON.parse(thrown.data["text"]) as { error: { code: number; message: string } };
  return new ProtocolError(error.code, error.message);
}
