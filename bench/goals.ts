import type { Line } from "./row.ts";

type Goal = NonNullable<Line["goal"]>;

export const atMost = (limit: number, actual: number, unit = "×"): Goal => ({
  text: `≤ ${limit.toLocaleString("en")} ${unit}`,
  met: actual <= limit,
});

export const atLeast = (limit: number, actual: number, unit = "×"): Goal => ({
  text: `≥ ${limit} ${unit}`,
  met: actual >= limit,
});
