const longestWord = 64;
const shortestPrefix = 3;

/**
 * Returns the candidate that is closest to a misspelt word, or `undefined` if none is close. Of equally close
 * candidates, returns the first.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > longestWord) return undefined;
  const wanted = fold(word);
  if (wanted === "") return undefined;
  let best: string | undefined;
  let bestCost = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const cost = spellingCost(wanted, fold(candidate));
    if (cost < bestCost) {
      best = candidate;
      bestCost = cost;
    }
  }
  return best;
}

/** Treats names that differ only in case, underscores or dashes as equal. */
function fold(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, "");
}

function spellingCost(wanted: string, candidate: string): number {
  const gap = Math.abs(wanted.length - candidate.length);
  // An abbreviation costs one error, however much is missing. Every surplus letter costs one error.
  if (startsAlike(wanted, candidate))
    return (wanted.length > candidate.length ? gap : Math.min(gap, 1)) + gap / 100;
  const limit = Math.min(Math.max(2, Math.floor(wanted.length / 3)), wanted.length - 1);
  if (gap > limit) return Number.POSITIVE_INFINITY;
  const distance = editDistance(wanted, candidate);
  return distance <= limit ? distance : Number.POSITIVE_INFINITY;
}

function startsAlike(one: string, other: string): boolean {
  if (one === other) return true;
  if (Math.min(one.length, other.length) < shortestPrefix) return false;
  return one.startsWith(other) || other.startsWith(one);
}

/** Returns the Levenshtein distance. The algorithm is quadratic, so callers limit the lengths. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const substitution = at(previous, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, at(previous, column) + 1, at(current, column - 1) + 1));
    }
    previous = current;
  }
  return at(previous, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
