import { describe, expect, it } from "vitest";
import { createWrongTries } from "./gate.ts";

function startAt(time: number, maxPeers = 100) {
  let now = time;
  const tries = createWrongTries({ triesPerMinute: 5, maxPeers, clock: () => new Date(now) });
  return {
    tries,
    noteTimes: (peer: string, times: number) => Array.from({ length: times }, () => tries.note(peer)),
    moveTo: (time: number) => {
      now = time;
    },
  };
}

describe("wrong tries", () => {
  it("cause a pause after the fifth in a minute, until a minute after the first", () => {
    const { tries, noteTimes, moveTo } = startAt(0);
    noteTimes("a", 1);
    moveTo(20_000);
    noteTimes("a", 3);
    expect(tries.pauseSeconds("a")).toBe(0);
    noteTimes("a", 1);
    expect(tries.pauseSeconds("a")).toBe(40);
    moveTo(60_000);
    expect(tries.pauseSeconds("a")).toBe(0);
  });

  it("cause another pause after one more try while the earlier ones are recent", () => {
    const { tries, noteTimes, moveTo } = startAt(0);
    noteTimes("a", 1);
    moveTo(50_000);
    noteTimes("a", 4);
    moveTo(60_000);
    noteTimes("a", 1);
    expect(tries.pauseSeconds("a")).toBe(50);
  });

  it("of one peer do not affect another", () => {
    const { tries, noteTimes } = startAt(0);
    noteTimes("a", 5);
    expect(tries.pauseSeconds("b")).toBe(0);
  });

  it("of the least active peer are forgotten first if the memory is full", () => {
    const { tries, noteTimes } = startAt(0, 2);
    noteTimes("a", 5);
    noteTimes("b", 5);
    noteTimes("a", 1);
    noteTimes("c", 5);
    expect(["a", "b", "c"].map((peer) => tries.pauseSeconds(peer) > 0)).toEqual([true, false, true]);
  });

  it("do not lock anyone out if the clock is set back", () => {
    const { tries, noteTimes, moveTo } = startAt(10_000_000);
    noteTimes("a", 5);
    moveTo(0);
    expect(tries.pauseSeconds("a")).toBe(0);
  });
});
