import { setTimeout as sleep } from "node:timers/promises";
import { atMost } from "../goals.ts";
import { interleave } from "../measure/interleave.ts";
import { p50, ratioOf, type Samples } from "../measure/samples.ts";
import { timeCrowd } from "../measure/timing.ts";
import type { Figure, Line, Row } from "../row.ts";
import { candidates } from "../servers/candidates.ts";
import type { Command } from "../servers/child.ts";
import { residentMemory } from "../servers/resident-memory.ts";
import { callNoop, createSequentialThinker } from "../servers/rivals.ts";
import { startThinking } from "../servers/thinking.ts";
import { withServers } from "../servers/with-servers.ts";

/** Milliseconds in which a server frees the memory that it needed only to start. */
const quietMs = 1_500;
const manyThoughts = 100_000;
const callersAtOnce = 64;

export const memoryUse: Row = {
  id: "memory-use",
  about: "resident memory: idle, and after 100,000 thoughts",

  async run(bench) {
    const dataDir = bench.stores.freshDirectory();
    const memoryFile = `${dataDir}/memory.jsonl`;
    const idle = await interleave(bench.times(5), {
      ours: idleMemory(candidates.thoughtbox(dataDir)),
      noop: idleMemory(candidates.noop()),
      sequential: idleMemory(candidates.sequentialThinking()),
      memory: idleMemory(candidates.memory(memoryFile)),
    });
    const calls = bench.times(manyThoughts);
    const commands = {
      ours: candidates.thoughtbox(dataDir),
      noop: candidates.noop(),
      sequential: candidates.sequentialThinking(),
    };
    const later = await withServers(commands, async ({ ours, noop, sequential }) => {
      const session = await startThinking(ours, dataDir);
      await timeCrowd(callersAtOnce, calls, session.think);
      await session.whenProjected();
      await timeCrowd(callersAtOnce, calls, () => callNoop(noop));
      await timeCrowd(callersAtOnce, calls, createSequentialThinker(sequential));
      await sleep(quietMs);
      return {
        ours: [[residentMemory(ours.pid)]],
        noop: [[residentMemory(noop.pid)]],
        sequential: [[residentMemory(sequential.pid)]],
      };
    });

    const many = calls.toLocaleString("en");
    const compare = (id: string, what: string, ours: Samples, name: string, other: Samples): Line => ({
      id: `memory-use.${id}`,
      what,
      ours: megabytes(ours),
      against: { name, figure: megabytes(other) },
      ratio: ratioOf(ours, other),
    });
    const [whenIdle, afterMany] = ["memory, idle", `memory after ${many} thoughts`];
    return [
      {
        ...compare("idle", whenIdle, idle.ours, "no-op on the same SDK", idle.noop),
        goal: atMost(1.3, ratioOf(idle.ours, idle.noop)),
      },
      compare("idle-sequential", whenIdle, idle.ours, "sequential-thinking", idle.sequential),
      compare("idle-memory", whenIdle, idle.ours, "server-memory", idle.memory),
      compare("later", afterMany, later.ours, `no-op after ${many} calls`, later.noop),
      compare(
        "later-sequential",
        afterMany,
        later.ours,
        "sequential-thinking, the same number of calls",
        later.sequential,
      ),
    ];
  },
};

const idleMemory = (command: Command) => () =>
  withServers({ server: command }, async ({ server }) => {
    await server.ask("tools/list");
    await sleep(quietMs);
    return [residentMemory(server.pid)];
  });

const megabytes = (samples: Samples): Figure => ({ value: p50(samples), unit: "MB" });
