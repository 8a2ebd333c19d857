import { expect, test } from "vitest";
import { enoughTime, reportSoak, times } from "../../support/run/soak.ts";
import { openForgetfulViewer, openObservatory, positionsSeen } from "./observatory.testing.ts";

const viewerCount = times("viewers", 10);
const stalledCount = Math.ceil(viewerCount / 10);
const thoughtCount = 700;
/** Long enough that the messages for a stalled viewer fill its buffer and the system's long before the end. */
const text = (n: number) => `thought ${n} ${"x".repeat(18_000)}`;

test(
  "viewers that read nothing are disconnected, and the others miss nothing",
  async () => {
    const { call, url } = await openObservatory({ env: { THOUGHTBOX_STORAGE: "memory" } });
    const { sessionId } = await call("start_new", {});
    const viewers = await Promise.all(Array.from({ length: viewerCount }, () => openForgetfulViewer(url)));
    for (const viewer of viewers) viewer.say({ action: "subscribe", channel: "reasoning", sessionId });
    await Promise.all(viewers.map((viewer) => viewer.event("session:snapshot")));
    const [stalled, healthy] = [viewers.slice(0, stalledCount), viewers.slice(stalledCount)];
    for (const { socket } of stalled) socket.pause();

    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    for (let n = 1; n <= thoughtCount; n += 1) {
      await call("thought", { sessionId, thought: text(n) });
      // Wait until the thought has been read before writing the next one, to keep a realistic pace.
      await healthy[n % healthy.length]?.until(() =>
        positionsSeen(healthy[n % healthy.length]?.messages.slice(-3) ?? []).includes(n),
      );
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    const wanted = Array.from({ length: thoughtCount }, (_, n) => n + 1);
    for (const viewer of healthy) {
      await viewer.until(() => positionsSeen(viewer.messages.slice(-3)).includes(thoughtCount));
      expect(positionsSeen(viewer.messages)).toEqual(wanted);
    }
    reportSoak(
      "viewers",
      `${viewerCount} of them, ${stalledCount} stalled: ${Math.round(most / 2 ** 20)} MB at most`,
    );
    expect(most).toBeLessThan(viewerCount * 5 * 1024 * 1024);

    // After waking up, each viewer reads the messages already sent and learns that it has to reconnect.
    for (const viewer of stalled) {
      viewer.socket.resume();
      expect([1006, 1013]).toContain(await viewer.closed);
      const seen = positionsSeen(viewer.messages);
      expect(seen).toEqual(wanted.slice(0, seen.length));
      expect(seen.length).toBeLessThan(thoughtCount);
      const again = await openForgetfulViewer(url);
      again.say({ action: "subscribe", channel: "reasoning", sessionId, after: seen.length });
      await again.until(() => positionsSeen(again.messages).includes(thoughtCount));
      expect([...seen, ...positionsSeen(again.messages)]).toEqual(wanted);
    }
  },
  enoughTime(viewerCount, 3_000),
);
