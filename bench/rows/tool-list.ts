import { join } from "node:path";
import { atMost } from "../goals.ts";
import type { Figure, Line, Row } from "../row.ts";
import { candidates } from "../servers/candidates.ts";
import type { StdioServer } from "../servers/stdio-server.ts";
import { withServers } from "../servers/with-servers.ts";

/** A rule of thumb, because every model counts tokens differently. */
const bytesPerToken = 4;
const maxBytes = 16 * 1_024;

export const toolList: Row = {
  id: "tool-list",
  about: "the size of tools/list, which every client reads first",

  async run(bench) {
    const dataDir = bench.stores.freshDirectory();
    const commands = {
      daily: candidates.thoughtbox(dataDir),
      gateway: candidates.thoughtbox(dataDir, { THOUGHTBOX_TOOLSET: "gateway" }),
      sequential: candidates.sequentialThinking(),
      memory: candidates.memory(join(dataDir, "memory.jsonl")),
    };
    return withServers(commands, async (servers) => {
      const daily = await listedBytes(servers.daily);
      const gateway = await listedBytes(servers.gateway);
      const sequential = await listedBytes(servers.sequential);
      const memory = await listedBytes(servers.memory);
      const compare = (id: string, toolset: string, ours: number, name: string, other: number): Line => ({
        id: `tool-list.${id}`,
        what: `tools/list, toolset ${toolset}${tokens(ours)}`,
        ours: bytes(ours),
        against: { name: `${name}${tokens(other)}`, figure: bytes(other) },
        ratio: ours / other,
      });
      return [
        {
          ...compare("daily-memory", "daily", daily, "server-memory", memory),
          goal: atMost(maxBytes, daily, "bytes"),
        },
        compare("daily-sequential", "daily", daily, "sequential-thinking", sequential),
        compare("gateway-memory", "gateway", gateway, "server-memory", memory),
        compare("gateway-sequential", "gateway", gateway, "sequential-thinking", sequential),
      ];
    });
  },
};

async function listedBytes(server: StdioServer): Promise<number> {
  const { tools } = await server.ask("tools/list");
  return Buffer.byteLength(JSON.stringify({ tools }));
}

const bytes = (value: number): Figure => ({ value, unit: "bytes" });

const tokens = (length: number): string =>
  ` (≈ ${Math.round(length / bytesPerToken).toLocaleString("en")} tokens at ${bytesPerToken} bytes each)`;
