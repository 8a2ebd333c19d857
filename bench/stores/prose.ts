/** Creates a small seeded generator (mulberry32), so that every run uses the same words. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const syllables = [
  "ba",
  "ko",
  "ri",
  "ten",
  "lu",
  "mar",
  "so",
  "vi",
  "da",
  "nel",
  "pu",
  "gra",
  "fe",
  "zo",
  "hin",
  "cy",
];
const vocabulary = 4_096;

/**
 * Returns a word by its rank. Word 0 occurs in most texts and the last words in very few, roughly following Zipf's law.
 */
export function wordAt(number: number): string {
  const at = (shift: number) => syllables[(number >> shift) & 15] ?? "";
  return at(0) + at(4) + at(8);
}

export function createProse(random: () => number) {
  const word = () => wordAt(Math.floor(vocabulary ** random()) - 1);
  return (words: number): string => Array.from({ length: words }, word).join(" ");
}
