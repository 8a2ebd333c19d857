import { join } from "node:path";
import { systemClock } from "../../src/kernel/clock.ts";
import { createSqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { atLeast, atMost } from "../goals.ts";
import type { Row } from "../row.ts";
import { candidates } from "../servers/candidates.ts";
import type { Command } from "../servers/child.ts";
import type { Result } from "../servers/messages.ts";
import type { StdioServer } from "../servers/stdio-server.ts";
import { startThinking, think } from "../servers/thinking.ts";
import { withServers } from "../servers/with-servers.ts";

const callersEach = 64;
const ourMs = 3_000;
const rivalMs = 1_000;

export const lostWrites: Row = {
  id: "lost-writes",
  about: "4 processes × 64 callers on one store: acknowledged writes that were lost",

  async run(bench) {
    const dataDir = bench.stores.freshDirectory();
    const ours = await withServers(fourOf(candidates.thoughtbox(dataDir)), async (servers) => {
      const { sessionId } = await startThinking(servers.first, dataDir);
      for (const server of [servers.second, servers.third, servers.fourth])
        await startThinking(server, dataDir);
      const acknowledged = await writeFor(ourMs, servers, (server) => think(server, sessionId));
      return { acknowledged, sessionId };
    });
    const kept = await countThoughts(dataDir, ours.sessionId);

    const memoryFile = join(dataDir, "memory.jsonl");
    const memory = await withServers(fourOf(candidates.memory(memoryFile)), async (servers) => {
      let name = 0;
      const acknowledged = await writeFor(rivalMs, servers, ({ call }) => {
        name += 1;
        const entity = { name: `entity ${name}`, entityType: "thing", observations: ["one"] };
        return call("create_entities", { entities: [entity] });
      });
      return { acknowledged, kept: await countEntities(servers.first) };
    });

    const lost = total(ours.acknowledged) - kept;
    const fairness = Math.min(...ours.acknowledged) / (total(ours.acknowledged) / ours.acknowledged.length);
    const crowd = `4 processes × ${callersEach} callers`;
    return [
      {
        id: "lost-writes.lost",
        what: `${crowd}: lost of ${total(ours.acknowledged).toLocaleString("en")} acknowledged`,
        ours: { value: lost, unit: "lost" },
        against: {
          name: `server-memory, of ${total(memory.acknowledged).toLocaleString("en")}`,
          figure: { value: total(memory.acknowledged) - memory.kept, unit: "lost" },
        },
        goal: atMost(0, lost, "lost"),
      },
      {
        id: "lost-writes.fair",
        what: `${crowd}: the slowest process relative to the mean`,
        ours: { value: fairness, unit: "share" },
        goal: { ...atLeast(0.5, fairness), text: "≥ 50%" },
      },
    ];
  },
};

const fourOf = (command: Command) => ({ first: command, second: command, third: command, fourth: command });

/** Writes for `ms` milliseconds. Returns how many writes each server acknowledged. */
async function writeFor(
  ms: number,
  servers: Record<string, StdioServer>,
  write: (server: StdioServer) => Promise<unknown>,
): Promise<number[]> {
  const until = performance.now() + ms;
  return Promise.all(
    Object.values(servers).map(async (server) => {
      let acknowledged = 0;
      const caller = async (): Promise<void> => {
        while (performance.now() < until) {
          await write(server);
          acknowledged += 1;
        }
      };
      await Promise.all(Array.from({ length: callersEach }, caller));
      return acknowledged;
    }),
  );
}

/** Counts thoughts by reading them one by one from the store, after all processes have exited. */
async function countThoughts(dataDir: string, sessionId: string): Promise<number> {
  const ledger = createSqliteStore({ kind: "directory", path: dataDir }, systemClock);
  try {
    let count = 0;
    for (;;) {
      const page = await ledger.ledger.readEntries(sessionId, count, 1_000);
      if (page.length === 0) return count;
      count += page.length;
    }
  } finally {
    await ledger.close();
  }
}

/** Counts the entities. The file may be unreadable if four processes overwrote each other's data. */
async function countEntities({ call }: StdioServer): Promise<number> {
  try {
    const result: Result = await call("read_graph");
    return JSON.parse(result.content[0].text).entities.length;
  } catch {
    return 0;
  }
}

const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);
