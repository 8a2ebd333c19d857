import { signal } from "@preact/signals";
import { expect, test } from "vitest";
import { giveNotices } from "./notices.ts";
import type { Observatory } from "./observatory.ts";

const start = Date.parse("2026-11-17T12:00:00Z");

/** Returns an observatory whose clock and sessions the test controls. */
function watch() {
  let now = start;
  let look = () => {};
  const list = signal<object[]>([]);
  const latest = signal<object | undefined>(undefined);
  const server = { sessions: { list }, home: { latest } };
  const environment = {
    now: () => now,
    after: (_: number, call: () => void) => {
      look = call;
      return () => {};
    },
  };
  const told: string[] = [];
  const o = { environment, server: signal(server) } as unknown as Observatory;
  giveNotices(o, (title, words, session) => told.push(`${session}: ${title} ${words}`));
  return {
    told,
    latest,
    see(sessions: object[], seconds: number) {
      now = start + seconds * 1_000;
      list.value = sessions;
      look();
    },
  };
}

const session = (id: string, more: object = {}) => ({
  ...{ id, title: `T${id}`, status: "active", updatedAt: new Date(start).toISOString() },
  ...more,
});

test("announces once that an agent stops, asks or ends, but only if it was at work", () => {
  const { see, told } = watch();
  const asks = { story: { lastAt: new Date(start).toISOString(), last: { type: "Q" } } };
  const all = [session("1"), session("2", asks), session("3"), session("4", { status: "completed" })];
  see(all, 5);
  expect(told).toEqual([]);
  const later = [session("1"), session("2", asks), session("3", { status: "completed" }), all[3] as object];
  see(later, 200);
  see(later, 205);
  expect(told).toEqual(["1: T1 has stopped", "2: T2 is waiting for your answer", "3: T3 has ended"]);
});

test("announces a contradiction when it arrives, but not earlier ones", () => {
  const { latest, told } = watch();
  const pair = (thoughtNumber: number) => ({ by: { sessionId: "1", sessionTitle: "Pool", thoughtNumber } });
  latest.value = { contradicted: [pair(3)] };
  expect(told).toEqual([]);
  latest.value = { contradicted: [pair(5), pair(3)] };
  expect(told).toEqual(["1: Pool contradicts itself"]);
});
