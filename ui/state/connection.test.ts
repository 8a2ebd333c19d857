import { expect, test } from "vitest";
import { createConnection, type Socket } from "./connection.ts";
import { createSession, watchSession } from "./session.ts";
import type { Session, Thought } from "./thought.ts";

/** Creates a fake environment whose clock and sockets the test controls. */
function createWorld() {
  let now = 0;
  const timers: { at: number; call: () => void }[] = [];
  const sockets: (Socket & { sent: string[] })[] = [];
  const connection = createConnection({
    now: () => now,
    random: () => 0.5,
    storage: { getItem: () => null, setItem: () => undefined },
    after: (ms, call) => {
      const timer = { at: now + ms, call };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer) >>> 0, 1);
    },
    isRefused: async () => false,
    open: () => {
      const sent: string[] = [];
      const socket = {
        sent,
        send: (text: string) => void sent.push(text),
        close: () => drop(),
        onopen: null,
        onclose: null,
        onmessage: null,
      };
      sockets.push(socket as never);
      return socket as unknown as Socket;
    },
  });
  const socket = () => sockets.at(-1) as (typeof sockets)[number];
  const drop = () => (socket().onclose as () => void)();
  return {
    connection,
    socket,
    sockets,
    drop,
    accept: () => (socket().onopen as () => void)(),
    tell: (message: unknown) =>
      (socket().onmessage as (event: { data: string }) => void)({ data: JSON.stringify(message) }),
    pass(ms: number) {
      now += ms;
      for (const timer of timers.filter(({ at }) => at <= now)) {
        timers.splice(timers.indexOf(timer), 1);
        timer.call();
      }
    },
  };
}

const info = { id: "s", title: "S", status: "active" } as Session;
const thoughtAt = (position: number): Thought => ({
  id: `s:${position}`,
  thoughtNumber: position,
  totalThoughts: 9,
  thought: `t${position}`,
  nextThoughtNeeded: true,
  timestamp: "2026-11-12T09:00:00.000Z",
  seq: position,
  position,
  parentId: position === 1 ? null : `s:${position - 1}`,
  parent: position - 1,
  type: "O",
});
const page = (from: number, to: number) => ({
  channel: "reasoning",
  sessionId: "s",
  event: "session:snapshot",
  data: {
    session: info,
    branches: {},
    thoughts: Array.from({ length: to - from + 1 }, (_, at) => thoughtAt(from + at)),
    page: { from, to, total: to, isLast: true },
  },
});
const added = (position: number) => ({
  channel: "reasoning",
  sessionId: "s",
  event: "thought:added",
  data: { thought: thoughtAt(position), parentId: null },
});

test("retries a lost connection after 1, 2, 4, 8 and 15 seconds, and reports it as gone after ten attempts", () => {
  const { connection, accept, drop, pass, sockets } = createWorld();
  connection.connect();
  accept();
  const waits = [];
  for (let tries = 0; tries < 10; tries++) {
    drop();
    const before = sockets.length;
    let seconds = 0;
    while (sockets.length === before && seconds < 60) {
      pass(1000);
      seconds++;
    }
    waits.push(seconds);
  }
  expect(waits).toEqual([1, 2, 4, 8, 15, 15, 15, 15, 15, 15]);
  expect(connection.state.value).toBe("gone");
  accept();
  expect(connection.state.value).toBe("open");
});

test("after a reconnect, requests only what is missing and counts it", () => {
  const { connection, accept, drop, pass, socket, tell } = createWorld();
  const session = createSession("s");
  const missed: number[] = [];
  connection.connect();
  accept();
  watchSession(session, { connection, now: () => 0, onBack: (count) => missed.push(count) });
  tell(page(1, 3));
  drop();
  pass(1000);
  accept();
  expect(socket().sent).toEqual(['{"action":"subscribe","channel":"reasoning","sessionId":"s","after":3}']);
  tell(page(4, 5));
  expect(session.columns.value.size).toBe(5);
  expect(missed).toEqual([2]);
});

test("a gap makes it request the missing thoughts, and no thought is added twice", () => {
  const { connection, accept, socket, tell } = createWorld();
  const session = createSession("s");
  connection.connect();
  accept();
  watchSession(session, { connection, now: () => 0, onBack: () => undefined });
  tell(page(1, 2));
  tell(added(4));
  expect(session.columns.value.size).toBe(2);
  expect(socket().sent.at(-1)).toBe('{"action":"subscribe","channel":"reasoning","sessionId":"s","after":2}');
  tell(page(3, 4));
  tell(added(4));
  tell(added(5));
  expect([...session.columns.value.text]).toEqual(["t1", "t2", "t3", "t4", "t5"]);
});

test("a snapshot from the beginning replaces everything", () => {
  const { connection, accept, tell } = createWorld();
  const session = createSession("s");
  connection.connect();
  accept();
  watchSession(session, { connection, now: () => 0, onBack: () => undefined });
  tell(page(1, 4));
  const before = session.columns.value;
  tell(page(1, 2));
  expect(session.columns.value).not.toBe(before);
  expect(session.columns.value.size).toBe(2);
});
