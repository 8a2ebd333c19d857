/** Returns the lowest sample that is at least as high as `share` of the samples. NaN for no samples. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = Math.ceil(share * sorted.length) - 1;
  return sorted[Math.max(0, at)] ?? Number.NaN;
}

export const median = (samples: readonly number[]): number => percentile(samples, 0.5);
