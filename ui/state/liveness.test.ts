import { expect, test } from "vitest";
import { asksUser, livenessOf, livenessWords, runningOf } from "./liveness.ts";

const now = Date.parse("2026-11-17T12:00:00Z");
const ago = (seconds: number, status: "active" | "completed" | "abandoned" = "active") => ({
  status,
  updatedAt: new Date(now - seconds * 1_000).toISOString(),
});

test.each([
  [6, "thinking 6 s"],
  [120, "thinking 2 min"],
  [121, "open 2 min"],
  [18 * 60, "open 18 min"],
  [60 * 60, "open 1 h"],
  [2 * 3_600, "quiet 2 h"],
  [26 * 3_600, "quiet 26 h"],
  [50 * 3_600, "quiet 2 days"],
])("a session whose last thought is %i s old is shown as %s", (seconds, words) => {
  expect(livenessWords(ago(seconds), now)).toBe(words);
});

test("a closed session has ended, however recent its last thought", () => {
  expect(livenessWords(ago(3, "completed"), now)).toBe("ended");
});

test("a session whose process ended without closing it is quiet immediately", () => {
  expect(livenessOf(ago(3, "abandoned"), now)).toBe("quiet");
  expect(livenessWords({ ...ago(28), leftAt: ago(27).updatedAt }, now)).toBe("quiet 28 s");
});

test("a session that another agent continued after the process ended is not quiet", () => {
  expect(livenessWords({ ...ago(3), leftAt: ago(30).updatedAt }, now)).toBe("thinking 3 s");
});

test("depends on the newest thought, not on a later change of the title", () => {
  const session = { ...ago(1), story: { lastAt: ago(3 * 3_600).updatedAt } };
  expect(livenessOf(session as Parameters<typeof livenessOf>[0], now)).toBe("quiet");
});

test("an agent that acts without recording thoughts is at work", () => {
  const session = { ...ago(40 * 60), signAt: ago(8).updatedAt };
  expect(livenessWords(session, now)).toBe("thinking 8 s");
});

test("an old transcript does not make a session look older than its last thought", () => {
  const session = { ...ago(18 * 60), signAt: ago(30 * 60).updatedAt };
  expect(livenessWords(session, now)).toBe("open 18 min");
});

test("an agent with a running call is thinking, until its process ends or an hour passes without activity", () => {
  const running = { command: "npm test", at: ago(40 * 60).updatedAt };
  const session = { ...ago(40 * 60), signAt: ago(40 * 60).updatedAt, running };
  expect(livenessOf(session, now)).toBe("thinking");
  expect(runningOf(session, now)).toEqual(running);
  expect(livenessOf({ ...session, leftAt: ago(30).updatedAt }, now)).toBe("quiet");
  const old = { ...ago(61 * 60), signAt: ago(61 * 60).updatedAt, running };
  expect(livenessOf(old, now)).toBe("quiet");
  expect(runningOf(old, now)).toBeUndefined();
  expect(runningOf({ ...session, status: "completed" }, now)).toBeUndefined();
});

test("an agent that asks its user is waiting, not thinking", () => {
  const running = { command: "AskUserQuestion", at: ago(19 * 60).updatedAt };
  const session = { ...ago(20 * 60), signAt: ago(19 * 60).updatedAt, running };
  expect(livenessWords(session, now)).toBe("open 19 min");
  expect(asksUser(session, now)).toBe(true);
  expect(asksUser({ ...session, running: { ...running, command: "npm test" } }, now)).toBe(false);
});
