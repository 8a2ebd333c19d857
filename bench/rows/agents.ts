import { countReceived } from "../agents/agent.ts";
import { agentTasks } from "../agents/agent-tasks.ts";
import { atMost } from "../goals.ts";
import type { Line, Row } from "../row.ts";
import { candidates } from "../servers/candidates.ts";
import { connectLegacy, connectModern } from "../servers/http-client.ts";
import { startHttpServer } from "../servers/http-server.ts";
import type { Params, Result } from "../servers/messages.ts";
import { startStdioServer } from "../servers/stdio-server.ts";

type Client = { call(name: string, args: Params): Promise<Result>; close(): void | Promise<void> };
type Opened = { join(): Promise<Client>; close(): Promise<void> };

const ways: Record<string, (dataDir: string) => Promise<Opened>> = {
  "legacy, stdio": (dataDir) => openStdio(dataDir, "legacy"),
  "modern, stdio": (dataDir) => openStdio(dataDir, "modern"),
  "legacy, HTTP": (dataDir) => openHttp(dataDir, connectLegacy),
  "modern, HTTP": (dataDir) => openHttp(dataDir, async (url) => connectModern(url)),
};

export const agents: Row = {
  id: "agents",
  about: "what models receive while they work: three tasks, every era and transport",

  async run(bench) {
    const lines: Line[] = [];
    for (const { id, about, maxBytes, run } of agentTasks) {
      for (const [way, open] of Object.entries(ways)) {
        const { received, take } = countReceived();
        const door = await open(bench.stores.freshDirectory());
        const clients: Client[] = [];
        try {
          await run(async () => {
            const client = await door.join();
            clients.push(client);
            return { call: async (name, args) => take(name, await client.call(name, args)) };
          });
        } finally {
          for (const client of clients) await client.close();
          await door.close();
        }
        lines.push({
          id: `agents.${id}.${way.toLowerCase().replace(", ", "-")}`,
          what: `${about} (${way}, ${received.calls} calls, ≈ ${tokensOf(received.bytes)} tokens at 4 bytes each)`,
          ours: { value: received.bytes, unit: "bytes" },
          goal: atMost(maxBytes, received.bytes, "bytes"),
        });
      }
    }
    return lines;
  },
};

const tokensOf = (bytes: number): string => Math.round(bytes / 4).toLocaleString("en");

/** Connects clients, each of which starts its own process on the same store. */
async function openStdio(dataDir: string, era: "legacy" | "modern"): Promise<Opened> {
  return {
    async join() {
      const server = startStdioServer(candidates.thoughtbox(dataDir));
      if (era === "legacy") await server.initialize();
      return { call: era === "legacy" ? server.call : server.callModern, close: server.stop };
    },
    close: async () => {},
  };
}

async function openHttp(dataDir: string, connect: (url: URL) => Promise<Client>): Promise<Opened> {
  const server = await startHttpServer(candidates.thoughtboxHttp(dataDir));
  return { join: () => connect(server.url), close: server.stop };
}
