/** A field of a text: what stands in it, and how much more than in an ordinary one that counts. */
type Field = { text: string; weight: number };
export type ScoredText = {
  fields: readonly Field[];
  /** Any measure of length that is the same for all. */
  length: number;
};

type Term = {
  phrase: string;
  /** How rare it is: what its presence says. */
  weight: number;
};

/** As in FTS5: how soon a repeated word says nothing new, and how much long texts are discounted. */
const [saturation, lengthShare] = [1.2, 0.75];

/**
 * BM25 over the few texts that came into question, because the index's own `bm25()` first counts every text that holds
 * a word. `least` is how often a term stands in each of them at least: 1 where all were required.
 */
export function scoreTexts(texts: readonly ScoredText[], terms: readonly Term[], least: 0 | 1): number[] {
  const stems = terms.map(({ phrase, weight }) => ({ stem: toStem(phrase), weight }));
  const usual = texts.reduce((sum, { length }) => sum + length, 0) / texts.length || 1;
  return texts.map(({ fields, length }) => {
    const folded = fields.map(({ text, weight }) => ({ text: fold(text), weight }));
    const patience = saturation * (1 - lengthShare + (lengthShare * length) / usual);
    let score = 0;
    for (const { stem, weight } of stems) {
      const found = folded.reduce((sum, field) => sum + field.weight * countStarts(field.text, stem), 0);
      const often = Math.max(found, least);
      score += (weight * often * (saturation + 1)) / (often + patience);
    }
    return score;
  });
}

/** What the presence of a word says when so many of `all` texts hold it; never negative. */
export function rarity(holding: number, all: number): number {
  return Math.log(1 + (Math.max(all - holding, 0) + 0.5) / (holding + 0.5));
}

const ascii = /^[\0-\x7f]*$/;

function fold(text: string): string {
  const lower = text.toLowerCase();
  return ascii.test(lower) ? lower : lower.normalize("NFD").replace(/\p{M}+/gu, "");
}

const ending =
  /(?<=...)(?:ization|fulness|ousness|iveness|ational|ements?|ations?|ments?|ances?|ences?|ingly|edly|ness|ably|ibly|ally|ions?|ings?|able|ible|ious|ily|ies|ied|ier|ous|ive|ful|ate|ize|ise|ity|ers?|ed|es|ly|al|s|e|y)$/;

/**
 * A likeness of the index's stemmer, and rather too short than too long: what it miscounts moves a hit a little, and
 * never decides what is found.
 */
function toStem(phrase: string): string {
  const words = fold(phrase)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
  return words
    .join(" ")
    .replace(ending, "")
    .replace(/(?<=..)([b-df-hj-np-tv-z])\1$/, "$1");
}

/** How many words begin with the stem. */
function countStarts(text: string, stem: string): number {
  if (stem === "") return 0;
  let count = 0;
  for (let at = text.indexOf(stem); at >= 0; at = text.indexOf(stem, at + stem.length)) {
    if (at === 0 || !isOfWord(text.charCodeAt(at - 1))) count += 1;
  }
  return count;
}

function isOfWord(unit: number): boolean {
  if (unit >= 0x80) return /[\p{L}\p{N}]/u.test(String.fromCharCode(unit));
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x61 && unit <= 0x7a);
}
