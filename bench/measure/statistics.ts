/**
 * The lowest sample that at least this share of the samples does not exceed, or NaN if there are no samples.
 */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = Math.ceil(share * sorted.length) - 1;
  return sorted[Math.max(0, at)] ?? Number.NaN;
}

export const median = (samples: readonly number[]): number => percentile(samples, 0.5);
