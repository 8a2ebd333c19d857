import { setTimeout as sleep } from "node:timers/promises";
import { milliseconds } from "../figures.ts";
import { atMost } from "../goals.ts";
import type { Bench, Line } from "../row.ts";
import { callOperation } from "../servers/thinking.ts";
import { openViewer, type Viewer } from "./viewers.ts";
import { startWatchedServer, type WatchedServer } from "./watched-server.ts";

const viewerCount = 100;
const stalledCount = 10;
const perSecond = 200;
const seconds = 20;
/** Long enough that the messages for a stalled viewer fill its buffer and the system's before the measurement ends. */
const text = "x".repeat(4_000);
const settleMs = 1_500;

/** Records 200 thoughts per second in a session with 100 viewers, of which 10 stop reading. */
export async function measureCrowd(bench: Bench): Promise<Line[]> {
  const server = await startWatchedServer(bench.stores.freshDirectory());
  const viewers: Viewer[] = [];
  let most = 0;
  const looking = setInterval(() => (most = Math.max(most, server.memory())), 1_000);
  try {
    const { sessionId } = await callOperation(server.client, "start_new", { sessionTitle: "bench" });
    for (let n = 0; n < viewerCount; n += 1) viewers.push(await openViewer(server.url, sessionId));
    await record(server, sessionId, 1);
    await Promise.all(viewers.map((viewer) => viewer.until(1)));
    await sleep(settleMs);
    const before = server.memory();
    const delaysBefore = server.loopDelays().length;
    for (const viewer of viewers.slice(0, stalledCount)) viewer.stall();

    const count = perSecond * bench.times(seconds);
    const began = performance.now();
    const calls = await recordAtPace(server, sessionId, count);
    const took = performance.now() - began;
    const total = count + 1;
    await Promise.all(viewers.slice(stalledCount).map((viewer) => viewer.until(total)));
    const delays = server.loopDelays().slice(delaysBefore);
    for (const viewer of viewers.slice(0, stalledCount)) viewer.wake();
    await Promise.all(viewers.map((viewer) => viewer.until(total)));

    const sum = (of: (viewer: Viewer) => number) => viewers.reduce((all, viewer) => all + of(viewer), 0);
    const lost = sum(({ seen }) => total - seen) + sum(({ faults }) => faults);
    await sleep(settleMs);
    const after = server.memory();
    most = Math.max(most, after);
    const what = `${viewerCount} viewers, ${stalledCount} of them stalled, ${Math.round((count / took) * 1_000)} thoughts/s`;
    return [
      {
        id: "observatory.crowd-lost",
        what: `${what}: thoughts lost or sent twice, of ${(viewerCount * total).toLocaleString("en")}`,
        ours: { value: lost, unit: "lost" },
        goal: atMost(0, lost, "lost"),
      },
      {
        id: "observatory.crowd-resyncs",
        what: "… viewers that were disconnected and reconnected",
        ours: { value: sum(({ resyncs }) => resyncs), unit: "×" },
      },
      {
        id: "observatory.crowd-memory",
        what: "… memory of the server at its peak",
        ours: { value: most, unit: "MB" },
        against: { name: "before", figure: { value: before, unit: "MB" } },
        ratio: most / before,
        goal: atMost(200, most - before, "MB more"),
      },
      {
        id: "observatory.crowd-memory-after",
        what: "… and afterwards",
        ours: { value: after, unit: "MB" },
        against: { name: "before", figure: { value: before, unit: "MB" } },
        ratio: after / before,
      },
      {
        id: "observatory.crowd-loop",
        what: "… how late the server's timers were",
        ours: milliseconds([delays]),
      },
      { id: "observatory.crowd-thought", what: "… one `thought` over HTTP", ours: milliseconds([calls]) },
    ];
  } finally {
    clearInterval(looking);
    for (const viewer of viewers) viewer.close();
    await server.stop();
  }
}

const record = ({ client }: WatchedServer, sessionId: string, n: number) =>
  callOperation(client, "thought", { sessionId, thought: `thought ${n} ${text}`, nextThoughtNeeded: true });

/**
 * Starts calls at a fixed pace, even if earlier ones are not answered yet. Returns how long each call took.
 */
async function recordAtPace(server: WatchedServer, sessionId: string, count: number): Promise<number[]> {
  const calls: number[] = [];
  const waiting: Promise<void>[] = [];
  const began = performance.now();
  for (let n = 1; n <= count; n += 1) {
    const due = began + (n * 1_000) / perSecond;
    const left = due - performance.now();
    if (left > 0) await sleep(left);
    const start = performance.now();
    waiting.push(record(server, sessionId, n + 1).then(() => void calls.push(performance.now() - start)));
  }
  await Promise.all(waiting);
  return calls;
}
