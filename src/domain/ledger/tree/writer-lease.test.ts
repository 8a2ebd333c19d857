import { expect, test } from "vitest";
import { decideWriter, mayTake } from "./writer-lease.ts";

const claim = { holder: "me", boot: "today", now: 1_000, lastsMs: 100 };
const other = (until: number, boot = "today") => ({ holder: "other", boot, until });

test("a process may take a free lease, its own, and one that has expired or ends too late", () => {
  expect(mayTake(undefined, claim)).toBe(true);
  expect(mayTake({ holder: "me", until: 1_050 }, claim)).toBe(true);
  const ends = [999, 1_000, 1_001, 1_100, 1_101];
  expect(ends.map((until) => mayTake(other(until), claim))).toEqual([true, true, false, false, true]);
});

test("the next writer continues at the projected mark, and learns whether the previous one released its lease", () => {
  const granted = { granted: true, from: "projected" };
  expect(decideWriter(undefined, claim)).toEqual({ ...granted, abandoned: false });
  expect(decideWriter({ ...other(1_050), holder: "me" }, claim)).toEqual({ ...granted, abandoned: false });
  expect(decideWriter(other(0), claim)).toEqual({ ...granted, abandoned: false });
  expect(decideWriter(other(900), claim)).toEqual({ ...granted, abandoned: true });
  expect(decideWriter(other(1_050), claim)).toEqual({ granted: false, heldUntil: 1_050 });
});

test("after a restart of the machine, a writer takes any lease and continues at the durable mark", () => {
  const after = { granted: true, from: "durable" };
  expect(decideWriter(other(1_050, "yesterday"), claim)).toEqual({ ...after, abandoned: true });
  const own = { holder: "me", boot: "yesterday", until: 1_050 };
  expect(decideWriter(own, claim)).toEqual({ ...after, abandoned: false });
});
