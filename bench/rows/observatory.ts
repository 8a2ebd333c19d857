import { setTimeout as sleep } from "node:timers/promises";
import { millisecondsTo95 } from "../figures.ts";
import { atMost } from "../goals.ts";
import { p50, p95, type Samples } from "../measure/samples.ts";
import { openSession, timeOpening, whenShown, withBrowser } from "../observatory/browser.ts";
import { measureCrowd } from "../observatory/crowd.ts";
import { fillLongSession } from "../observatory/fill-long-session.ts";
import { startWatchedServer, type WatchedServer } from "../observatory/watched-server.ts";
import type { Bench, Line, Row } from "../row.ts";
import { candidates } from "../servers/candidates.ts";
import { callOperation } from "../servers/thinking.ts";
import { withServers } from "../servers/with-servers.ts";

type Think = (thought: string) => Promise<unknown>;

export const observatory: Row = {
  id: "observatory",
  about:
    "a session of 50,000 thoughts opened, a thought until it is seen, 100 viewers at 200 thoughts per second",

  async run(bench) {
    return [...(await openLong(bench)), ...(await watchLive(bench)), ...(await measureCrowd(bench))];
  },
};

async function openLong(bench: Bench): Promise<Line[]> {
  const thoughts = bench.quick ? 5_000 : 50_000;
  const dataDir = bench.stores.freshDirectory();
  const sessionId = await fillLongSession(dataDir, thoughts);
  const server = await startWatchedServer(dataDir);
  try {
    const opened = await withBrowser(async (browser) => {
      const openings = [];
      for (let n = 0; n < bench.times(10); n += 1)
        openings.push(await timeOpening(browser, `${server.url}/#/s/${sessionId}`));
      return openings;
    });
    if (!opened) return [];
    const whole = [opened.map(({ firstPaint }) => firstPaint)];
    const painting = [opened.map(({ firstPaint, lastData }) => firstPaint - lastData)];
    const tasks = [opened.map(({ longestTask }) => longestTask)];
    const what = `a session of ${thoughts.toLocaleString("en")} thoughts opened in the Observatory`;
    return [
      {
        id: "observatory.open",
        what: `${what}: URL → graph on screen`,
        ours: millisecondsTo95(whole),
      },
      {
        id: "observatory.open-paint",
        what: "… last data → graph on screen",
        ours: millisecondsTo95(painting),
        goal: atMost(150, p50(painting), "ms"),
      },
      { id: "observatory.open-task", what: "… its longest task", ours: millisecondsTo95(tasks) },
    ];
  } finally {
    await server.stop();
  }
}

async function watchLive(bench: Bench): Promise<Line[]> {
  const dataDir = bench.stores.freshDirectory();
  const server = await startWatchedServer(dataDir);
  try {
    const { sessionId } = await callOperation(server.client, "start_new", { sessionTitle: "bench" });
    const shown = await withServers({ beside: candidates.thoughtbox(dataDir) }, async ({ beside }) => {
      const args = (thought: string) => ({ sessionId, thought, nextThoughtNeeded: true });
      await callOperation(server.client, "thought", args("S1|O|It begins"));
      return timeShown(bench, server, sessionId, {
        same: (thought) => callOperation(server.client, "thought", args(thought)),
        other: (thought) => callOperation(beside, "thought", args(thought)),
      });
    });
    if (!shown) return [];
    const line = (id: string, what: string, samples: Samples): Line => ({
      id: `observatory.${id}`,
      what,
      ours: millisecondsTo95(samples),
      goal: atMost(300, p95(samples), "ms (p95)"),
    });
    return [
      line("live", "thought acknowledged → seen in the browser", [shown.same]),
      line("live-other", "the same, recorded by another process on the data directory", [shown.other]),
    ];
  } finally {
    await server.stop();
  }
}

type Source = "same" | "other";

const timeShown = (
  bench: Bench,
  server: WatchedServer,
  sessionId: string,
  think: Record<Source, Think>,
): Promise<Record<Source, number[]> | undefined> =>
  withBrowser(async (browser) => {
    const page = await openSession(browser, `${server.url}/#/s/${sessionId}`);
    const taken: Record<Source, number[]> = { same: [], other: [] };
    for (let n = 1; n <= 2 * bench.times(40); n += 1) {
      const source = n % 2 === 0 ? "other" : "same";
      const probe = `probe ${n}`;
      await think[source](`S${n + 1}|E|${probe}`);
      const acknowledged = performance.timeOrigin + performance.now();
      taken[source].push(await whenShown(page, probe, acknowledged));
      // Agents record thoughts at any time, not just after a frame.
      await sleep(100 + ((n * 37) % 60));
    }
    return taken;
  });
