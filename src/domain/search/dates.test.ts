import { describe, expect, test } from "vitest";
import { datesIn, nearness } from "./dates.ts";

describe("dates in a question", () => {
  test.each([
    ["what happened on 2023-05-08?", [{ year: 2023, month: 5, day: 8 }]],
    ["in 2023-05 or so", [{ year: 2023, month: 5 }]],
    ["on 8 May 2023", [{ year: 2023, month: 5, day: 8 }]],
    ["the 8th of May, 2023", [{ year: 2023, month: 5, day: 8 }]],
    ["on May 8th", [{ month: 5, day: 8 }]],
    ["May 8, 2023", [{ year: 2023, month: 5, day: 8 }]],
    ["in May", [{ month: 5 }]],
    ["since Sept. of 2024", [{ year: 2024, month: 9 }]],
    ["December 2025 and 2024", [{ year: 2025, month: 12 }, { year: 2024 }]],
    ["it may fail", []],
    ["this may fail", []],
    ["these 2 may fail", []],
    ["in marketing, on deciding", []],
    ["the year 0000", []],
    ["31 February", []],
    ["2023-13-45", []],
    ["0 May 2023", []],
    ["99 june", []],
    ["20231 and 12023", []],
  ])("%s", (question, expected) => expect(datesIn(question)).toEqual(expected));

  test("reads at most eight dates", () => {
    expect(datesIn("2023-05-08 ".repeat(1_000))).toHaveLength(8);
  });
});

describe("nearness", () => {
  const day = datesIn("8 May 2023");
  test("is greatest on the day itself and fades, faster before it than after", () => {
    const at = (date: string) => nearness(`${date}T10:00:00.000Z`, day);
    expect(at("2023-05-08")).toBe(1);
    expect(at("2023-05-09")).toBeCloseTo((0.8 * 13) / 14);
    expect(at("2023-05-07")).toBeCloseTo((0.5 * 6) / 7);
    expect(at("2023-05-22")).toBe(0);
    expect(at("2023-05-01")).toBe(0);
  });

  test("is lower for a month than for a day, and lower still for a year", () => {
    const of = (question: string) => nearness("2023-05-20T10:00:00.000Z", datesIn(question));
    expect([of("20 May 2023"), of("in May"), of("2023"), of("2022")]).toEqual([1, 0.6, 0.2, 0]);
  });

  test("a session without a readable time is near to nothing", () =>
    expect(nearness("is zero for a session without a readable time", day)).toBe(0));
});
