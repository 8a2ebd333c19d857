import { expect, test } from "vitest";
import { partitionPath } from "./partition.ts";

test.each([
  ["2026-11-15T12:00:00Z", "2026-11", "2026-W46", "2026-11-15"],
  ["2026-01-01T00:00:00Z", "2026-01", "2026-W01", "2026-01-01"],
  ["2025-12-31T23:59:59.999Z", "2025-12", "2026-W01", "2025-12-31"],
  // A Sunday in the last week of the old year, and the Monday after it.
  ["2027-01-03T12:00:00Z", "2027-01", "2026-W53", "2027-01-03"],
  ["2027-01-04T00:00:00Z", "2027-01", "2027-W01", "2027-01-04"],
  ["2021-01-01T00:00:00Z", "2021-01", "2020-W53", "2021-01-01"],
  ["2024-12-30T00:00:00Z", "2024-12", "2025-W01", "2024-12-30"],
  ["2024-02-29T12:00:00Z", "2024-02", "2024-W09", "2024-02-29"],
  ["2023-01-01T00:00:00Z", "2023-01", "2022-W52", "2023-01-01"],
])("files %s under %s, %s or %s", (time, monthly, weekly, daily) => {
  const at = new Date(time);
  expect(partitionPath(at, "monthly")).toBe(monthly);
  expect(partitionPath(at, "weekly")).toBe(weekly);
  expect(partitionPath(at, "daily")).toBe(daily);
  expect(partitionPath(at, "none")).toBeUndefined();
});

test("converts the time to UTC, whatever its zone", () => {
  expect(partitionPath(new Date("2026-01-01T00:30:00+02:00"), "daily")).toBe("2025-12-31");
});

test("files all days from Monday to Sunday under the same week", () => {
  const days = Array.from({ length: 7 }, (_, day) => new Date(Date.UTC(2026, 10, 9 + day, 23, 59)));
  expect(new Set(days.map((day) => partitionPath(day, "weekly")))).toEqual(new Set(["2026-W46"]));
});
