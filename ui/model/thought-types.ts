/** A code is an index into this text: `TYPES[code]` is the letter. `N` is prose without a cipher. */
export const TYPES = "OEQHACPRXN";

export type TypeLetter = "O" | "E" | "Q" | "H" | "A" | "C" | "P" | "R" | "X" | "N";

export const TYPE_NAMES: Readonly<Record<TypeLetter, string>> = {
  O: "Observation",
  E: "Evidence",
  Q: "Question",
  H: "Hypothesis",
  A: "Assumption",
  C: "Conclusion",
  P: "Plan",
  R: "Revision",
  X: "Rejected",
  N: "Prose",
};

export const FAMILIES: readonly { name: string; types: readonly TypeLetter[] }[] = [
  { name: "Facts", types: ["O", "E"] },
  { name: "Open", types: ["Q", "H", "A"] },
  { name: "Settled", types: ["C", "P"] },
  { name: "Turned", types: ["R", "X"] },
];

/**
 * How strong each type's colour is in a view that is zoomed far out, by code. Landmarks are at full strength,
 * and facts are subdued.
 */
export const LOUDNESS: readonly number[] = [0.42, 0.5, 0.62, 0.62, 0.5, 1, 0.5, 1, 0.9, 0.4];

export const PROSE = TYPES.indexOf("N");
/** Marks the user's messages, only in fingerprints. */
export const USER = 255;
export const EVIDENCE = TYPES.indexOf("E");
export const CONCLUSION = TYPES.indexOf("C");
export const REVISION = TYPES.indexOf("R");
export const REJECTED = TYPES.indexOf("X");

/** Returns a type's code. An unknown letter counts as prose, so that the page works with a newer server. */
export function typeCode(letter: string): number {
  const code = letter.length === 1 ? TYPES.indexOf(letter) : -1;
  return code < 0 ? PROSE : code;
}

export const typeLetter = (code: number): TypeLetter => (TYPES[code] ?? "N") as TypeLetter;
