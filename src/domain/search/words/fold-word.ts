/** Variants of a letter whose lower case differs. */
const otherForms: Readonly<Record<string, string>> = {
  µ: "μ",
  İ: "i",
  ſ: "s",
  ς: "σ",
  ϐ: "β",
  ϑ: "θ",
  ϕ: "φ",
  ϖ: "π",
  ϰ: "κ",
  ϱ: "ρ",
  ϵ: "ε",
};

const isPlain = /^[\0-\x7f]*$/;

/**
 * Small letters without accents: an accent is removed if it is the only one on a letter of the
 * Latin alphabet, written together with it or after it. Other scripts keep theirs.
 */
export function foldWord(word: string): string {
  if (isPlain.test(word)) return word.toLowerCase();
  let folded = "";
  for (const character of word) folded += foldCharacter(character);
  return folded;
}

function foldCharacter(character: string): string {
  if (isLooseAccent.test(character)) return "";
  const other = Object.hasOwn(otherForms, character) ? otherForms[character] : undefined;
  const lower = other ?? character.toLowerCase();
  const apart = lower.normalize("NFD");
  return /^[a-z]\p{M}$/u.test(apart) ? (apart[0] ?? "") : lower;
}

/** Accents that are always dropped. Any other mark ends a word. */
const accents =
  "\\u0300-\\u0304\\u0306-\\u030c\\u030f\\u0311\\u031b\\u0323-\\u0328\\u032d\\u032e\\u0330\\u0331";
const isLooseAccent = new RegExp(`^[${accents}]$`);

/** The characters of words, as the inside of a character class. */
export const wordCharacters = `\\p{L}\\p{N}\\p{Co}${accents}`;
