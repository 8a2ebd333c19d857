import { stem } from "./porter.ts";

/** Variants of a letter that are still different in lower case. */
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

/**
 * Converts to lower case and removes a single accent from a Latin letter, precomposed or combining. Other scripts keep
 * their accents.
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

/** Combining accents that are always removed. Any other combining mark ends a word. */
const accents =
  "\\u0300-\\u0304\\u0306-\\u030c\\u030f\\u0311\\u031b\\u0323-\\u0328\\u032d\\u032e\\u0330\\u0331";
const isLooseAccent = new RegExp(`^[${accents}]$`);

/** Characters that can be part of a word, for use inside a character class. */
const wordCharacters = `\\p{L}\\p{N}\\p{Co}${accents}`;

/** A folded word of a text, and its position. */
export type PlacedWord = {
  word: string;
  start: number;
  end: number;
  /** Set for a single character in text without spaces, which is a word in addition to the pairs. */
  isPart?: true;
};

const wordPattern = new RegExp(`[${wordCharacters}]+`, "gu");
/** Scripts that do not put spaces between words, and Korean, whose particles are attached to words. */
const unspaced = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}ー";
const unspacedRun = new RegExp(`[${unspaced}]+`, "gu");
const hasUnspaced = new RegExp(`[${unspaced}]`, "u");

/**
 * Yields the words of a text in order. In text without spaces, each pair of adjacent characters is a word. If
 * `withParts` is set, each character is also a word.
 */
export function* wordsIn(text: string, withParts = false): Generator<PlacedWord> {
  for (const { index, 0: word } of text.matchAll(wordPattern)) {
    if (hasUnspaced.test(word)) yield* partsOf(word, index, withParts ? charactersAndPairsOf : pairsOf);
    else yield whole(word, index);
  }
}

/**
 * Returns what an index stores for a text: its words in order, folded and stemmed, separated by spaces. In
 * text without spaces, every character and every pair of adjacent characters is a word, in an order that
 * keeps phrases together: 日本語 becomes 日 日本 本 本語 語. The store only splits at spaces.
 */
export function toStems(text: string, stemOf: (word: string) => string = stem): string {
  const stems: string[] = [];
  let length = 0;
  for (const word of isPlain.test(text) ? plainWords(text) : foldedWords(text)) {
    length += word.length + 1;
    if (length > maxIndexedLength) break;
    stems.push(stemOf(word));
  }
  return stems.join(" ");
}

/** How many characters of a text are searchable. Indexing a megabyte would delay other calls. */
export const maxIndexedLength = 256 * 1024;

const isPlain = /^[\0-\x7f]*$/;

/** Splits ASCII text into words. This fast path exists because splitting takes much of the indexing time. */
const plainWords = (text: string): readonly string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

function* foldedWords(text: string): Generator<string> {
  for (const { 0: found } of text.matchAll(wordPattern))
    for (const { word } of hasUnspaced.test(found)
      ? partsOf(found, 0, charactersAndPairsOf)
      : [whole(found, 0)])
      if (word !== "") yield word;
}

const whole = (word: string, start: number): PlacedWord => ({
  word: foldWord(word),
  start,
  end: start + word.length,
});

/** Characters in scripts without spaces have no case and no accents. */
type Split = (run: string, start: number) => Generator<PlacedWord>;

function* partsOf(word: string, offset: number, split: Split): Generator<PlacedWord> {
  let done = 0;
  const spaced = (to: number): PlacedWord => ({
    word: foldWord(word.slice(done, to)),
    start: offset + done,
    end: offset + to,
  });
  for (const { index, 0: run } of word.matchAll(unspacedRun)) {
    if (index > done) yield spaced(index);
    yield* split(run, offset + index);
    done = index + run.length;
  }
  if (done < word.length) yield spaced(word.length);
}

function* pairsOf(run: string, start: number): Generator<PlacedWord> {
  let [before, at] = ["", start];
  for (const character of run) {
    const end = at + character.length;
    if (before !== "") yield { word: before + character, start: at - before.length, end };
    [before, at] = [character, end];
  }
  if (before.length === run.length) yield { word: run, start, end: at };
}

function* charactersAndPairsOf(run: string, start: number): Generator<PlacedWord> {
  let [before, at] = ["", start];
  for (const character of run) {
    const end = at + character.length;
    if (before !== "") yield { word: before + character, start: at - before.length, end };
    yield character.length === run.length
      ? { word: character, start: at, end }
      : { word: character, start: at, end, isPart: true };
    [before, at] = [character, end];
  }
}

const maxWords = 32;

/** Returns the words and "quoted phrases" in the input. */
export function phrasesOf(query: string): string[] {
  return [...query.replaceAll("\0", " ").matchAll(/"([^"]+)"|([\p{L}\p{N}\p{M}\p{Co}]+)/gu)]
    .map(([, phrase, word]) => phrase ?? word ?? "")
    .filter((phrase) => /[\p{L}\p{N}]/u.test(phrase))
    .slice(0, maxWords);
}
