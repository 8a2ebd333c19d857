import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import type { Reply } from "../../src/kernel/reply.ts";
import type { Root } from "../../src/operations/define.ts";
import { toolName } from "../../src/operations/normalise.ts";
import { binary, cleanEnv } from "./server-process.ts";

export type Era = "legacy" | "modern";

/** Opens connections to one served store; each connection is a client of its own. */
export type RealDoor = {
  connect(era: Era, roots: readonly Root[] | undefined): Promise<RealConnection>;
  close(): Promise<void>;
};

export type RealConnection = { client: Client; call(name: string, args: unknown): Promise<Reply> };

const modes = { legacy: "legacy", modern: { pin: "2026-07-28" } } as const;

/** Every connection starts the built binary, as a client on somebody's desk would. */
export function openStdioDoor(dataDir: string, env: Record<string, string>): RealDoor {
  return {
    connect: (era, roots) =>
      connectClient(era, roots, () => {
        const args = [binary, "stdio"];
        const serverEnv = {
          ...cleanEnv(),
          DISABLE_THOUGHT_LOGGING: "true",
          THOUGHTBOX_DATA_DIR: dataDir,
          ...env,
        };
        return new StdioClientTransport({
          command: process.execPath,
          args,
          env: serverEnv,
          stderr: "ignore",
        });
      }),
    close: async () => {},
  };
}

/** One HTTP server in this process, on a free port. */
export async function openHttpDoor(
  dataDir: string,
  env: Record<string, string>,
): Promise<RealDoor & { url: URL }> {
  const overrides = {
    HOST: "127.0.0.1",
    PORT: "0",
    DISABLE_THOUGHT_LOGGING: "true",
    THOUGHTBOX_DATA_DIR: dataDir,
  };
  const config = readConfig({ env: { ...overrides, ...env } });
  const contentDir = join(import.meta.dirname, "..", "..", "content");
  const app = createApp({ config, version: "0.0.0-test", contentDir, log: () => {} });
  const service = await app.serveHttp();
  const url = new URL(`http://127.0.0.1:${service.port}/mcp`);
  return {
    url,
    connect: (era, roots) => connectClient(era, roots, () => new StreamableHTTPClientTransport(url)),
    async close() {
      await service.stop(0);
      await app.close();
    },
  };
}

async function connectClient(
  era: Era,
  roots: readonly Root[] | undefined,
  createTransport: () => Parameters<Client["connect"]>[0],
): Promise<RealConnection> {
  const client = new Client(
    { name: "journey", version: "1" },
    { versionNegotiation: { mode: modes[era] }, capabilities: roots ? { roots: {} } : {} },
  );
  if (roots)
    client.setRequestHandler("roots/list", async () => ({
      roots: roots.map((root) => ({ ...root })) as never,
    }));
  await client.connect(createTransport());
  onTestFinished(() => client.close().catch(() => {}));
  return { client, call: (name, args) => callTool(client, name, args) };
}

/** Reads an answer back into the form that `perform` gave it, and holds its two renderings against each other. */
async function callTool(client: Client, name: string, args: unknown): Promise<Reply> {
  const result = await client.callTool({ name: toolName(name), arguments: args as Record<string, unknown> });
  const [first] = result.content as { type: string; text: string }[];
  const body = result.structuredContent as Record<string, any>;
  if (result.isError) {
    if (first?.text !== JSON.stringify(body)) throw new Error("text and structure of an error differ");
    return { kind: "error", error: body["error"] };
  }
  const markdown = typeof body["markdown"] === "string" ? body["markdown"] : undefined;
  if (first?.text !== (markdown ?? JSON.stringify(body)))
    throw new Error("text and structure of an answer differ");
  return { kind: "result", result: body, ...(markdown !== undefined && { markdown }) };
}
