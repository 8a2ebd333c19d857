import { describe, expect, test } from "vitest";
import { allMessages, openLegacySession, post, request } from "../support/mcp-http.ts";
import { serveWaiting } from "./waiting-server.ts";

const minute = 60_000;
const list = request(1, "tools/list");
const wait = request(2, "tools/call", { name: "wait" });

/** Creates a clock that only the test advances. */
function standingClock() {
  let now = Date.parse("2026-11-15T12:00:00.000Z");
  return {
    clock: () => new Date(now),
    advance: (ms: number) => {
      now += ms;
    },
  };
}

async function status(url: URL, session: Record<string, string>): Promise<number> {
  const answer = await post(url, list, session);
  await answer.text();
  return answer.status;
}

describe("the table of legacy sessions", () => {
  test("keeps a limited number of sessions, no matter how many are opened", async () => {
    const { url, legacySessions } = await serveWaiting();
    const sessions: Record<string, string>[] = [];
    for (let opened = 0; opened < 1_000; opened += 1) sessions.push(await openLegacySession(url));
    expect(legacySessions.size).toBe(256);
    expect(await status(url, sessions[0] ?? {})).toBe(404);
    expect(await status(url, sessions[743] ?? {})).toBe(404);
    expect(await status(url, sessions[744] ?? {})).toBe(200);
    expect(await status(url, sessions[999] ?? {})).toBe(200);
  });

  test("removes the least recently used session, not the oldest", async () => {
    const { url } = await serveWaiting({ legacy: { sessions: 2, idleMs: 30 * minute } });
    const first = await openLegacySession(url);
    const second = await openLegacySession(url);
    expect(await status(url, first)).toBe(200);
    const third = await openLegacySession(url);
    expect(await status(url, second)).toBe(404);
    expect(await status(url, first)).toBe(200);
    expect(await status(url, third)).toBe(200);
  });

  test("keeps a session with a call in progress, and the call is answered", async () => {
    const { url, nextCall } = await serveWaiting({ legacy: { sessions: 2, idleMs: 30 * minute } });
    const working = await openLegacySession(url);
    const call = nextCall();
    const answer = post(url, wait, working);
    await call.started;
    const idle = await openLegacySession(url);
    await openLegacySession(url);
    expect(await status(url, idle)).toBe(404);
    call.finish();
    expect(await allMessages(await answer)).toMatchObject([{ id: 2, result: {} }]);
    expect(await status(url, working)).toBe(200);
  });

  test("makes room even if every session has a call in progress", async () => {
    const { url, legacySessions, nextCall } = await serveWaiting({
      legacy: { sessions: 1, idleMs: 30 * minute },
    });
    const call = nextCall();
    const answer = await post(url, wait, await openLegacySession(url));
    await call.started;
    await openLegacySession(url);
    await call.aborted;
    expect(await allMessages(answer)).toEqual([]);
    expect(legacySessions.size).toBe(1);
  });

  test("forgets a session only after half an hour without activity", async () => {
    const { clock, advance } = standingClock();
    const { url, legacySessions } = await serveWaiting({ clock });
    const session = await openLegacySession(url);
    advance(30 * minute);
    expect(await status(url, session)).toBe(200);
    advance(30 * minute + 1);
    expect(await status(url, session)).toBe(404);
    expect(legacySessions.size).toBe(0);
  });

  test("counts a call or an open stream as activity", async () => {
    const { clock, advance } = standingClock();
    const { url, nextCall } = await serveWaiting({ clock });
    const working = await openLegacySession(url);
    const listening = await openLegacySession(url);
    const call = nextCall();
    const answer = post(url, wait, working);
    await call.started;
    const stream = await fetch(url, { headers: { ...listening, Accept: "text/event-stream" } });
    advance(24 * 60 * minute);
    expect(await status(url, listening)).toBe(200);
    call.finish();
    expect(await allMessages(await answer)).toMatchObject([{ id: 2, result: {} }]);
    expect(await status(url, working)).toBe(200);
    await stream.body?.cancel();
  });
});
