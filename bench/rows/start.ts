import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { milliseconds } from "../figures.ts";
import { atMost } from "../goals.ts";
import { interleave } from "../measure/interleave.ts";
import { ratioOf, type Samples } from "../measure/samples.ts";
import type { Line, Row } from "../row.ts";
import { candidates } from "../servers/candidates.ts";
import type { Command } from "../servers/child.ts";
import { type StdioServer, startStdioServer } from "../servers/stdio-server.ts";
import { callOperation } from "../servers/thinking.ts";
import { openLibrary } from "../stores/known-stores.ts";

const listTools = (server: StdioServer) => server.ask("tools/list");
const listSessions = (server: StdioServer) => callOperation(server, "list_sessions");

export const start: Row = {
  id: "start",
  about: "from the spawn of a process to its first answers",

  async run(bench) {
    const empty = bench.stores.freshDirectory();
    const library = await openLibrary(bench);
    const { sessions } = library;
    const noMemory = join(empty, "memory.jsonl");
    const fullMemory = join(bench.stores.freshDirectory(), "memory.jsonl");
    writeFileSync(fullMemory, entities(sessions));

    const measured = await interleave(bench.times(20), {
      noop: starts(candidates.noop(), listTools),
      ours: starts(candidates.thoughtbox(empty), listTools),
      oursFull: starts(candidates.thoughtbox(library.path), listTools),
      sequential: starts(candidates.sequentialThinking(), listTools),
      memory: starts(candidates.memory(noMemory), listTools),
      memoryFull: starts(candidates.memory(fullMemory), listTools),
      list: starts(candidates.thoughtbox(bench.stores.freshDirectory()), listSessions),
      listFull: starts(candidates.thoughtbox(library.path), listSessions),
    });

    const many = sessions.toLocaleString("en");
    const compare = (id: string, what: string, ours: Samples, name: string, other: Samples): Line => ({
      id: `start.${id}`,
      what,
      ours: milliseconds(ours),
      against: { name, figure: milliseconds(other) },
      ratio: ratioOf(ours, other),
    });
    const withGoal = (line: Line, limit: number): Line => ({ ...line, goal: atMost(limit, line.ratio ?? 0) });

    const toTools = "spawn → tools/list";
    const full = `${toTools}, ${many} sessions`;
    const { noop, ours, oursFull, sequential, memory, memoryFull, list, listFull } = measured;
    return [
      withGoal(compare("noop", toTools, ours, "no-op on the same SDK", noop), 1.2),
      compare("sequential-thinking", toTools, ours, "sequential-thinking", sequential),
      compare("memory", toTools, ours, "server-memory", memory),
      withGoal(compare("full", full, oursFull, "Thoughtbox, empty", ours), 1.1),
      compare("full-memory", full, oursFull, `server-memory, ${many} entities`, memoryFull),
      withGoal(
        compare("full-list", `spawn → list_sessions, ${many} sessions`, listFull, "Thoughtbox, empty", list),
        1.1,
      ),
    ];
  },
};

function starts(command: Command, ask: (server: StdioServer) => Promise<unknown>) {
  return async () => {
    const began = performance.now();
    const server = startStdioServer(command);
    await server.initialize();
    await ask(server);
    const taken = performance.now() - began;
    await server.stop();
    return [taken];
  };
}

function entities(count: number): string {
  const entity = (n: number) => ({
    type: "entity",
    name: `session ${n}`,
    entityType: "session",
    observations: ["one", "two", "three"],
  });
  return Array.from({ length: count }, (_, n) => JSON.stringify(entity(n))).join("\n");
}
