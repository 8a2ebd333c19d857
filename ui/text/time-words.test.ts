import { expect, test } from "vitest";
import { axisTicks, formatAge, formatClock, formatDayWords, formatMoment, formatSpan } from "./time-words.ts";

const noon = new Date(2026, 10, 12, 12, 0, 0).getTime();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test("writes ages as people say them", () => {
  const ago = (ms: number) => formatAge(noon - ms, noon);
  expect([14_000, 2 * MINUTE, HOUR, 5 * HOUR].map(ago)).toEqual(["14 s", "2 min", "1 h", "5 h"]);
  expect([24 * HOUR, 48 * HOUR, 8 * 24 * HOUR].map(ago)).toEqual(["yesterday", "Tue", "4 Nov"]);
  expect(ago(400 * 24 * HOUR)).toBe("8 Oct 2025");
});

test("writes a moment as a time today, as a day and a time within a week, then as a date", () => {
  const at = (ms: number) => formatMoment(noon - ms, noon);
  expect([5 * HOUR, 48 * HOUR, 8 * 24 * HOUR].map(at)).toEqual(["07:00", "Tue 12:00", "4 Nov"]);
  expect(formatDayWords(noon - 24 * HOUR, noon)).toBe("Yesterday, Wed 11 Nov");
});

test("marks both ends of an axis and round times between them", () => {
  expect(axisTicks(noon - 3.2 * HOUR, noon).map(({ words }) => words)).toEqual([
    ...["08:48", "10:00", "11:00"],
    "now",
  ]);
});

test("writes a span with the precision that suits its length", () => {
  expect([6_000, 188_000, 7 * MINUTE, 26 * MINUTE, 190 * MINUTE].map(formatSpan)).toEqual([
    "6 s",
    "3 min 8 s",
    "7 min",
    "26 min",
    "3 h 10",
  ]);
});

test("writes a clock time with seconds", () => {
  expect(formatClock(noon + 9_000)).toBe("12:00:09");
});

test("names the days of an axis by date if it is longer than a week", () => {
  const now = new Date("2026-11-18T21:00:00").getTime();
  const from = new Date("2026-10-20T00:00:00").getTime();
  const words = axisTicks(from, now).map((tick) => tick.words);
  expect(words[0]).toBe("20 Oct");
  expect(words.slice(1, -1).every((one) => /^\d+ (?:Oct|Nov)$/.test(one))).toBe(true);
  expect(formatMoment(new Date("2025-11-06T10:00:00").getTime(), now)).toBe("6 Nov 2025");
});
