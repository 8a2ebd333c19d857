import { milliseconds } from "../figures.ts";
import { openSyncFloor } from "../floors/fdatasync.ts";
import { atMost, tailGoal } from "../goals.ts";
import { interleave } from "../measure/interleave.ts";
import { p50, p99, ratioOf, sumEach, sumOf } from "../measure/samples.ts";
import { settledTurn } from "../measure/settled-turn.ts";
import type { Line, Row } from "../row.ts";
import { candidates } from "../servers/candidates.ts";
import { callNoop, createSequentialThinker } from "../servers/rivals.ts";
import { startThinking, think } from "../servers/thinking.ts";
import { withServers } from "../servers/with-servers.ts";
import { copyLengths, type Length, sessionsOf } from "../stores/known-stores.ts";

export const thought: Row = {
  id: "thought",
  about: "one thought call at several session lengths, against a no-op call and one fdatasync",

  async run(bench) {
    const dataDir = await copyLengths(bench);
    const floor = openSyncFloor(dataDir);
    const commands = {
      ours: candidates.thoughtbox(dataDir),
      ram: candidates.thoughtbox(dataDir, { THOUGHTBOX_STORAGE: "memory" }),
      noop: candidates.noop(),
      sequential: candidates.sequentialThinking(),
    };
    const measured = await withServers(commands, async ({ ours, ram, noop, sequential }) => {
      await startThinking(ours, dataDir);
      const inRam = await startThinking(ram, dataDir);
      const thinkSequentially = createSequentialThinker(sequential);
      const thoughtsIn = (length: Length) => {
        const ids = sessionsOf(length);
        return () => {
          let id = ids.next().value;
          return settledTurn(() => {
            if (length === 1) id = ids.next().value;
            return think(ours, id);
          });
        };
      };
      const turns = {
        n1: thoughtsIn(1),
        n100: thoughtsIn(100),
        n5000: thoughtsIn(5_000),
        n100000: thoughtsIn(100_000),
        ram: () => settledTurn(inRam.think),
        noop: () => settledTurn(() => callNoop(noop)),
        sequential: () => settledTurn(thinkSequentially),
        sync: () => settledTurn(() => floor.append()),
      };
      await interleave(20, turns);
      return interleave(bench.times(100), turns);
    }).finally(() => floor.close());

    const leastPossible = sumOf(measured.noop, measured.sync);
    const lines = ([1, 100, 5_000, 100_000] as const).map((n): Line => {
      const ours = measured[`n${n}`];
      const ratio = ratioOf(ours, leastPossible);
      return {
        id: `thought.n${n}`,
        what: `thought, n = ${n.toLocaleString("en")}`,
        ours: milliseconds(ours),
        against: { name: "no-op call + fdatasync", figure: milliseconds(leastPossible) },
        ratio,
        goal: atMost(1.5, ratio),
      };
    });
    const floor99 = p99(sumEach(measured.noop, measured.sync));
    const tail = { p50: p50(measured.n100), p99: p99(measured.n100) };
    const flatness = ratioOf(measured.n100000, measured.n100);
    return [
      ...lines,
      {
        id: "thought.tail",
        what: "thought, n = 100: p99",
        ours: { value: tail.p99, unit: "ms" },
        against: { name: "no-op call + fdatasync, p99", figure: { value: floor99, unit: "ms" } },
        ratio: tail.p99 / floor99,
        goal: tailGoal(tail, floor99),
      },
      {
        id: "thought.flat",
        what: "thought, n = 100,000",
        ours: milliseconds(measured.n100000),
        against: { name: "Thoughtbox, n = 100", figure: milliseconds(measured.n100) },
        ratio: flatness,
        goal: atMost(1.1, flatness),
      },
      {
        id: "thought.ram",
        what: "thought, store in RAM: the call without the disk",
        ours: milliseconds(measured.ram),
        against: { name: "no-op call", figure: milliseconds(measured.noop) },
        ratio: ratioOf(measured.ram, measured.noop),
      },
      {
        id: "thought.sequential-thinking",
        what: "thought (durable), n = 100",
        ours: milliseconds(measured.n100),
        against: { name: "sequential-thinking (RAM only)", figure: milliseconds(measured.sequential) },
        ratio: ratioOf(measured.n100, measured.sequential),
      },
    ];
  },
};
