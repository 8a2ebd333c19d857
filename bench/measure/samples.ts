import { median, percentile } from "./statistics.ts";

/** The measurements of one candidate by round, so that candidates can be compared within a round. */
export type Samples = readonly (readonly number[])[];

export const p50 = (samples: Samples): number => median(samples.flat());
export const p95 = (samples: Samples): number => percentile(samples.flat(), 0.95);
export const p99 = (samples: Samples): number => percentile(samples.flat(), 0.99);

/**
 * Returns the ratio of `one` to `other`, as the median over all rounds. If the machine slows down during a
 * run, both sides are slower in most rounds.
 */
export function ratioOf(one: Samples, other: Samples): number {
  return median(one.map((round, at) => median(round) / median(other[at] ?? [])));
}

/** Adds the times of two steps, call by call. Both must contain the same calls in the same order. */
export function sumEach(one: Samples, other: Samples): Samples {
  return one.map((round, at) => round.map((taken, n) => taken + (other[at]?.[n] ?? 0)));
}

/** Adds the medians of two steps, round by round. */
export function sumOf(one: Samples, other: Samples): Samples {
  return one.map((round, at) => [median(round) + median(other[at] ?? [])]);
}
