/** Returns the largest value or `floor`. Unlike `Math.max(...values)`, cannot overflow the stack. */
export function largest(values: Iterable<number>, floor = 0): number {
  let best = floor;
  for (const value of values) if (value > best) best = value;
  return best;
}

/** Returns the smallest of any number of values, or infinity if there are none. */
export function smallest(values: Iterable<number>): number {
  let best = Number.POSITIVE_INFINITY;
  for (const value of values) if (value < best) best = value;
  return best;
}

/** Counts the numbers that are at most `limit`. `sorted` must be in ascending order. */
export function countUpTo(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The limit for counts from callers and files that have no other limit. */
export const maxCount = 1_000_000_000;

/** Returns a number with its noun: "1 thought", "2 thoughts", "1 branch", "2 branches", "2 entries". */
export function count(number: number, noun: string): string {
  return `${figure(number)} ${number === 1 ? noun : pluralOf(noun)}`;
}

function pluralOf(noun: string): string {
  if (/(?:s|ch|sh|x)$/.test(noun)) return `${noun}es`;
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

export const figure = (number: number): string => number.toLocaleString("en");
