import { median, percentile } from "./statistics.ts";

/** What was measured of one candidate, kept by round: rounds are what two candidates have in common. */
export type Samples = readonly (readonly number[])[];

export const p50 = (samples: Samples): number => median(samples.flat());
export const p95 = (samples: Samples): number => percentile(samples.flat(), 0.95);
export const p99 = (samples: Samples): number => percentile(samples.flat(), 0.99);

/**
 * How many times as large the first is: the median over the rounds of one round's ratio, so that a machine that
 * slows down in the middle of a run slows both sides of most ratios.
 */
export function ratioOf(one: Samples, other: Samples): number {
  return median(one.map((round, at) => median(round) / median(other[at] ?? [])));
}

/** Call by call, where one thing follows the other each time. */
export function sumEach(one: Samples, other: Samples): Samples {
  return one.map((round, at) => round.map((taken, n) => taken + (other[at]?.[n] ?? 0)));
}

/** Two things done one after the other, round by round. */
export function sumOf(one: Samples, other: Samples): Samples {
  return one.map((round, at) => [median(round) + median(other[at] ?? [])]);
}
