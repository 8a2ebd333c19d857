/** Returns numbers in [0, 1) that can be reproduced from a printed seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The seed for a run. `npm run soak` uses a different seed each time and prints it. */
export const runSeed = Number(process.env["SOAK_SEED"] ?? 20_261_115);

/** Returns random numbers for one part of a test, independent of its other parts. */
export function chanceFor(label: string): { next(): number; upTo(most: number): number } {
  let seed = runSeed;
  for (const unit of label) seed = Math.imul(seed ^ (unit.codePointAt(0) ?? 0), 0x01000193);
  const next = seededRandom(seed);
  return { next, upTo: (most) => Math.floor(next() * (most + 1)) };
}
