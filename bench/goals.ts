import type { Line } from "./row.ts";

type Goal = NonNullable<Line["goal"]>;

export const atMost = (limit: number, actual: number, unit = "×"): Goal => ({
  text: `≤ ${limit.toLocaleString("en")} ${unit}`,
  met: actual <= limit,
  share: actual / limit,
});

export const atLeast = (limit: number, actual: number, unit = "×"): Goal => ({
  text: `≥ ${limit} ${unit}`,
  met: actual >= limit,
  share: limit / actual,
});

/** Returns the goal for the slowest calls: at most 4 times the median, or twice the floor's slowest calls. */
export function tailGoal(tail: { p50: number; p99: number }, floorP99: number): Goal {
  const share = Math.min(tail.p99 / (4 * tail.p50), tail.p99 / (2 * floorP99));
  return { text: "≤ 4 × p50, or ≤ 2 × the floor's p99", met: share <= 1, share };
}
