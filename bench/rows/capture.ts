import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { milliseconds } from "../figures.ts";
import { atLeast, atMost } from "../goals.ts";
import { p99 } from "../measure/samples.ts";
import { median } from "../measure/statistics.ts";
import { startWatchedServer, type WatchedServer } from "../observatory/watched-server.ts";
import type { Bench, Line, Row } from "../row.ts";
import { root } from "../servers/candidates.ts";
import { cleanEnv } from "../servers/child.ts";
import { processorTimeOfEnded } from "../servers/processor-time.ts";
import { startThinking } from "../servers/thinking.ts";
import { fillTranscript } from "../stores/fill-transcripts.ts";

const megabyte = 1_000_000;
const leastPerSecond = 20;
const mostSlowdown = 2;
/**
 * Each round starts a program. If the backlog had only a few files, starting the program would dominate the
 * measurement.
 */
const [roundsOfCatchUp, filesOfRound, callsAlone] = [3, 24, 1_000];
const mostDelayMs = 1_000;
const patienceMs = 60_000;

export const capture: Row = {
  id: "capture",
  about:
    "transcripts of other agents: how fast a backlog is read, what calls notice of it, and how soon a line shows",

  run: async (bench) => [...(await catchUp(bench)), await follow(bench)],
};

type Round = { quiet: number[]; busy: number[]; bytes: number; waited: number; worked: number };

/** Makes calls alone and calls beside a backlog in each round, so that other load affects both equally. */
async function catchUp(bench: Bench): Promise<Line[]> {
  const dataDir = bench.stores.freshDirectory();
  const backlogs = Array.from({ length: bench.times(roundsOfCatchUp) }, (_, at) => fillBacklog(bench, at));
  const server = await startWatchedServer(dataDir);
  const rounds: Round[] = [];
  try {
    const session = await startThinking(server.client, dataDir);
    const timed = async () => {
      const began = performance.now();
      await session.think();
      return performance.now() - began;
    };
    const alone = async (calls: number): Promise<number[]> => {
      const taken: number[] = [];
      for (let call = 0; call < calls; call += 1) taken.push(await timed());
      return taken;
    };
    for (let call = 0; call < bench.times(100); call += 1) await timed();
    for (const backlog of backlogs) {
      const before = await alone(bench.times(callsAlone) / 2);
      const busy = await besideBacklog(backlog, dataDir, timed);
      const after = await alone(bench.times(callsAlone) / 2);
      rounds.push({ ...busy, quiet: [...before, ...after] });
    }
  } finally {
    await server.stop();
  }
  const sum = (of: (round: Round) => number) => rounds.reduce((total, round) => total + of(round), 0);
  const bytes = sum((round) => round.bytes);
  const rate = (ms: number) => bytes / megabyte / (ms / 1_000);
  const [quiet, busy] = [rounds.map((round) => round.quiet), rounds.map((round) => round.busy)];
  const slowdown = median(rounds.map((round) => p99([round.busy]) / p99([round.quiet])));
  return [
    {
      id: "capture.catch-up",
      what: `${rounds.length * filesOfRound} transcripts (${Math.round(bytes / megabyte)} MB) read while calls run, per second of processor time`,
      ours: { value: rate(sum((round) => round.worked)), unit: "MB/s" },
      goal: atLeast(leastPerSecond, rate(sum((round) => round.worked)), "MB/s"),
    },
    {
      id: "capture.catch-up.waited",
      what: "the same, per second of wall-clock time",
      ours: { value: rate(sum((round) => round.waited)), unit: "MB/s" },
    },
    {
      id: "capture.meanwhile",
      what: "thought, while they are read",
      ours: milliseconds(busy),
      against: { name: "before and after", figure: milliseconds(quiet) },
      ratio: slowdown,
      goal: atMost(mostSlowdown, slowdown, "× at p99"),
    },
  ];
}

type Backlog = { home: string; bytes: number };

function fillBacklog(bench: Bench, round: number): Backlog {
  const home = bench.stores.freshDirectory();
  const projects = join(home, "projects");
  const sizes = Array.from({ length: filesOfRound }, (_, at) => {
    const path = fillTranscript(projects, "claude-code", 5 * megabyte, 1 + round * filesOfRound + at);
    return statSync(join(projects, path)).size;
  });
  return { home, bytes: sizes.reduce((total, size) => total + size, 0) };
}

/** Reads the backlog in another process while this one answers, like `serve`. */
async function besideBacklog(
  { home, bytes }: Backlog,
  dataDir: string,
  timed: () => Promise<number>,
): Promise<Omit<Round, "quiet">> {
  const began = { clock: performance.now(), processor: processorTimeOfEnded() ?? 0 };
  const child = spawn(process.execPath, [join(root, "dist", "thoughtbox.js"), "capture", "--once"], {
    env: { ...cleanEnv(), ...homes(home), THOUGHTBOX_DATA_DIR: dataDir },
    stdio: "ignore",
  });
  setPriority(child.pid ?? 0, constants.priority.PRIORITY_BELOW_NORMAL);
  const ended = once(child, "exit");
  const busy: number[] = [];
  while (child.exitCode === null) busy.push(await timed());
  await ended;
  if (child.exitCode !== 0) throw new Error(`capture ended with ${child.exitCode}`);
  const waited = performance.now() - began.clock;
  const worked = (processorTimeOfEnded() ?? 0) - began.processor;
  return { busy, bytes, waited, worked };
}

const homes = (home: string): Record<string, string> => ({
  THOUGHTBOX_CAPTURE: "on",
  CLAUDE_CONFIG_DIR: home,
  CODEX_HOME: join(home, "none"),
  GEMINI_CLI_HOME: join(home, "none"),
  QWEN_HOME: join(home, "none"),
  COPILOT_HOME: join(home, "none"),
  XDG_DATA_HOME: join(home, "none"),
});

/** Measures the time between an agent writing a line and the Observatory's API returning it. */
async function follow(bench: Bench): Promise<Line> {
  const [home, dataDir] = [bench.stores.freshDirectory(), bench.stores.freshDirectory()];
  const sessionId = "00000000-0000-4000-8000-00000000beef";
  const file = join(home, "projects", "-home-ada-shop", `${sessionId}.jsonl`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "");
  const server = await startWatchedServer(dataDir, homes(home));
  try {
    const delays: number[] = [];
    for (let count = 1; count <= bench.times(60); count += 1) {
      const line = {
        ...{ type: "assistant", uuid: `a${count}`, parentUuid: count === 1 ? null : `a${count - 1}` },
        ...{ cwd: "/home/ada/shop", sessionId, timestamp: new Date().toISOString() },
        message: {
          role: "assistant",
          id: `m${count}`,
          content: [{ type: "text", text: `Thought ${count}` }],
        },
      };
      const began = performance.now();
      appendFileSync(file, `${JSON.stringify(line)}\n`);
      await whenShown(server, count);
      delays.push(performance.now() - began);
    }
    return {
      id: "capture.delay",
      what: "a line of a transcript, until the Observatory has it",
      ours: milliseconds([delays]),
      goal: atMost(mostDelayMs, p99([delays]), "ms at p99"),
    };
  } finally {
    await server.stop();
  }
}

async function whenShown({ url }: WatchedServer, count: number): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const answer = await fetch(`${url}/api/sessions`);
    const { sessions = [] } = (await answer.json()) as { sessions?: { thoughtCount: number }[] };
    if (sessions.some(({ thoughtCount }) => thoughtCount >= count)) return;
    if (performance.now() > deadline) throw new Error(`thought ${count} was not captured`);
    await sleep(10);
  }
}
