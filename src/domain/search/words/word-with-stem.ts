import { stem } from "./porter.ts";

const endings = ["", "e", "s", "es", "ed", "ing", "ly", "er", "ion", "ness"];

/** A word that the index holds as this term, so that asking for it finds exactly the term; `undefined` for a rare few. */
export const wordWithStem = (term: string): string | undefined =>
  endings.map((ending) => term + ending).find((word) => stem(word) === term);
