import { setTimeout as sleep } from "node:timers/promises";
import { openSyncFloor } from "../floors/fdatasync.ts";
import { atLeast, tailGoal } from "../goals.ts";
import { interleave } from "../measure/interleave.ts";
import { p50, ratioOf, type Samples } from "../measure/samples.ts";
import { percentile } from "../measure/statistics.ts";
import { timeCrowd, timeEach } from "../measure/timing.ts";
import type { Bench, Figure, Line, Row } from "../row.ts";
import { type Door, doors } from "../servers/doors.ts";
import { processorTime } from "../servers/processor-time.ts";
import { callNoop } from "../servers/rivals.ts";
import { startThinking } from "../servers/thinking.ts";

/** The number of concurrent callers, and of calls that they make together per turn. */
const crowds = [
  { callers: 1, calls: 200 },
  { callers: 16, calls: 1_000 },
  { callers: 64, calls: 2_000 },
];
const rounds = 5;
/** Milliseconds for indexing the words, which starts a quarter of a second after the last thought. */
const settleMs = 400;

export const callers: Row = {
  id: "callers",
  about: "1, 16 and 64 callers at once, over each transport",

  async run(bench) {
    const lines: Line[] = [];
    for (const door of doors) lines.push(...(await measureDoor(bench, door)));
    return lines;
  },
};

/**
 * `rates`: calls per second of all callers together, one sample per turn. `each`: the time of every call. `processor`:
 * the server's processor time per call, including the files, events and words that follow. 0 if the kernel does not
 * report it.
 */
type Outcome = { rates: Samples; each: number[]; processor: number };
type Crowd = { callers: number; ours: Outcome; noop: Outcome; sync: Samples };

async function measureDoor(bench: Bench, { name, openOurs, openNoop }: Door): Promise<Line[]> {
  const dataDir = bench.stores.freshDirectory();
  const ours = await openOurs(dataDir);
  const noop = await openNoop();
  const floor = openSyncFloor(dataDir);
  try {
    const session = await startThinking(ours, dataDir);
    const measured: Crowd[] = [];
    for (const { callers, calls } of crowds) {
      const turns = {
        ours: createTurns(ours.pid, session.whenProjected),
        noop: createTurns(noop.pid),
      };
      const { sync, ...rates } = await interleave(rounds, {
        ours: () => turns.ours.take(callers, bench.times(calls), session.think),
        noop: () => turns.noop.take(callers, bench.times(calls), () => callNoop(noop)),
        sync: () => timeEach(25, () => floor.append()),
      });
      measured.push({
        callers,
        ours: { rates: rates.ours, ...turns.ours.kept() },
        noop: { rates: rates.noop, ...turns.noop.kept() },
        sync,
      });
    }
    return describeDoor(name, measured);
  } finally {
    floor.close();
    await ours.stop();
    await noop.stop();
  }
}

/** Measures one server. `take` returns the rate of a turn, and `kept` the other figures of all turns. */
function createTurns(pid: number, whenDone = async () => {}) {
  const each: number[] = [];
  let spent = 0;
  return {
    kept: () => ({ each, processor: spent / each.length }),
    async take(callers: number, calls: number, call: () => Promise<unknown>): Promise<number[]> {
      const before = processorTime(pid) ?? 0;
      const crowd = await timeCrowd(callers, calls, call);
      await whenDone();
      await sleep(settleMs);
      spent += (processorTime(pid) ?? 0) - before;
      each.push(...crowd.each);
      return [crowd.perSecond];
    },
  };
}

function describeDoor(door: string, crowds: readonly Crowd[]): Line[] {
  const id = (part: string) => `callers.${door.replaceAll(" ", "-").toLowerCase()}.${part}`;
  const lines = crowds.flatMap(({ callers, ours, noop, sync }): Line[] => [
    {
      id: id(`${callers}.rate`),
      what: `thoughts per second, ${door}, ${callers} ${callers === 1 ? "caller" : "callers"}`,
      ours: perSecond(ours),
      against: { name: "no-op, same transport", figure: perSecond(noop) },
      ratio: ratioOf(ours.rates, noop.rates),
      // Over HTTP, the transport is most of a call. Over stdio, a no-op costs less than one sync of the disk.
      ...(door.startsWith("HTTP") && { goal: atLeast(0.75, ratioOf(ours.rates, noop.rates)) }),
    },
    {
      id: id(`${callers}.time`),
      what: `… and the time per call, ${door}`,
      ours: timeOfCall(ours),
      against: { name: "no-op, same transport", figure: timeOfCall(noop) },
      ...(callers === 1 && { goal: tailGoal(tailOf(ours), tailOf(noop).p99) }),
    },
    ...(callers === 1
      ? [
          {
            id: id("1.ceiling"),
            what: `(a no-op with one fdatasync per call, ${door})`,
            ours: { value: ceilingOf(noop, sync), unit: "/s" } as const,
            against: { name: "no-op, same transport", figure: perSecond(noop) },
            ratio: ceilingOf(noop, sync) / p50(noop.rates),
          },
        ]
      : []),
    ...(ours.processor > 0 && noop.processor > 0
      ? [
          {
            id: id(`${callers}.processor`),
            what: `… and the server's processor time per call, including files and words, ${door}`,
            ours: { value: ours.processor, unit: "ms" } as const,
            against: {
              name: "no-op, same transport",
              figure: { value: noop.processor, unit: "ms" } as const,
            },
            ratio: ours.processor / noop.processor,
          },
        ]
      : []),
  ]);
  const [alone, , many] = crowds;
  if (!alone || !many) return lines;
  const speedUp = ratioOf(many.ours.rates, alone.ours.rates);
  const noopSpeedUp = ratioOf(many.noop.rates, alone.noop.rates);
  return [
    ...lines,
    {
      id: id("speed-up"),
      what: `${door}: 64 callers against one`,
      ours: { value: speedUp, unit: "×" },
      against: {
        name: "no-op, same transport",
        figure: { value: noopSpeedUp, unit: "×" },
      },
      ratio: speedUp / noopSpeedUp,
      goal: atLeast(0.9, speedUp / noopSpeedUp),
    },
  ];
}

const perSecond = ({ rates }: Outcome): Figure => ({ value: p50(rates), unit: "/s" });

/** Returns the rate of a no-op server if its only caller also waited for one sync of the disk per call. */
const ceilingOf = ({ rates }: Outcome, sync: Samples): number => 1_000 / (1_000 / p50(rates) + p50(sync));

const tailOf = ({ each }: Outcome) => ({ p50: percentile(each, 0.5), p99: percentile(each, 0.99) });

const timeOfCall = (outcome: Outcome): Figure => {
  const { p50: value, p99 } = tailOf(outcome);
  return { value, unit: "ms", p99 };
};
