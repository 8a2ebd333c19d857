import { atLeast, tailGoal } from "../goals.ts";
import { interleave } from "../measure/interleave.ts";
import { p50, ratioOf, type Samples } from "../measure/samples.ts";
import { percentile } from "../measure/statistics.ts";
import { timeCrowd } from "../measure/timing.ts";
import type { Bench, Figure, Line, Row } from "../row.ts";
import { type Door, doors } from "../servers/doors.ts";
import { callNoop } from "../servers/rivals.ts";
import { startThinking } from "../servers/thinking.ts";

/** How many call at once, and how many calls they make together in one turn. */
const crowds = [
  { callers: 1, calls: 200 },
  { callers: 16, calls: 1_000 },
  { callers: 64, calls: 2_000 },
];
const rounds = 5;

export const callers: Row = {
  id: "callers",
  about: "1, 16 and 64 callers at once, through each door",

  async run(bench) {
    const lines: Line[] = [];
    for (const door of doors) lines.push(...(await measureDoor(bench, door)));
    return lines;
  },
};

/** The time a call takes its caller, and what all callers together get done: a sample a turn. */
type Outcome = { rates: Samples; each: number[] };
type Crowd = { callers: number; ours: Outcome; noop: Outcome };

async function measureDoor(bench: Bench, { name, openOurs, openNoop }: Door): Promise<Line[]> {
  const dataDir = bench.stores.freshDirectory();
  const ours = await openOurs(dataDir);
  const noop = await openNoop();
  try {
    const session = await startThinking(ours, dataDir);
    const measured: Crowd[] = [];
    for (const { callers, calls } of crowds) {
      const each = { ours: [] as number[], noop: [] as number[] };
      const turn = async (side: "ours" | "noop", call: () => Promise<unknown>) => {
        const crowd = await timeCrowd(callers, bench.times(calls), call);
        each[side].push(...crowd.each);
        return [crowd.perSecond];
      };
      const rates = await interleave(rounds, {
        ours: async () => {
          const rate = await turn("ours", session.think);
          await session.whenProjected();
          return rate;
        },
        noop: () => turn("noop", () => callNoop(noop)),
      });
      measured.push({
        callers,
        ours: { rates: rates.ours, each: each.ours },
        noop: { rates: rates.noop, each: each.noop },
      });
    }
    return describeDoor(name, measured);
  } finally {
    await ours.stop();
    await noop.stop();
  }
}

function describeDoor(door: string, crowds: readonly Crowd[]): Line[] {
  const id = (part: string) => `callers.${door.replaceAll(" ", "-").toLowerCase()}.${part}`;
  const lines = crowds.flatMap(({ callers, ours, noop }): Line[] => [
    {
      id: id(`${callers}.rate`),
      what: `thoughts a second, ${door}, ${callers} ${callers === 1 ? "caller" : "callers"}`,
      ours: perSecond(ours),
      against: { name: "no-op, same transport", figure: perSecond(noop) },
      ratio: ratioOf(ours.rates, noop.rates),
      // Over HTTP the transport is most of a call; over stdio a no-op costs less than one sync of the disk.
      ...(door.startsWith("HTTP") && { goal: atLeast(0.75, ratioOf(ours.rates, noop.rates)) }),
    },
    {
      id: id(`${callers}.time`),
      what: `… and what one call takes then, ${door}`,
      ours: timeOfCall(ours),
      against: { name: "no-op, same transport", figure: timeOfCall(noop) },
      ...(callers === 1 && { goal: tailGoal(tailOf(ours), tailOf(noop).p99) }),
    },
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

const tailOf = ({ each }: Outcome) => ({ p50: percentile(each, 0.5), p99: percentile(each, 0.99) });

const timeOfCall = (outcome: Outcome): Figure => {
  const { p50: value, p99 } = tailOf(outcome);
  return { value, unit: "ms", p99 };
};
