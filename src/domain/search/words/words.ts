import { clip } from "../../../kernel/text.ts";
import { foldWord, wordCharacters } from "./fold-word.ts";

/** A word of a text, folded, and where it stands in it. */
export type PlacedWord = {
  word: string;
  start: number;
  end: number;
  /** One character of a run without spaces, kept beside the pairs that it is in. */
  isPart?: true;
};

const wordPattern = new RegExp(`[${wordCharacters}]+`, "gu");
/** Scripts that do not put spaces between words, and Korean, whose particles hang on to them. */
const unspaced = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}ー";
const unspacedRun = new RegExp(`[${unspaced}]+`, "gu");
const hasUnspaced = new RegExp(`[${unspaced}]`, "u");
/** Everything below is written in letters that the index splits and folds as we do. */
const beyondLatin = /[^\0-\u024f]/;

/**
 * The words of a text in order, split where `unicode61` splits; of a run without spaces each two neighbours are one, and
 * each character too where somebody asks for a single one.
 */
export function* wordsIn(text: string, withParts = false): Generator<PlacedWord> {
  for (const { index, 0: word } of text.matchAll(wordPattern)) {
    if (hasUnspaced.test(word)) yield* partsOf(word, index, withParts ? charactersAndPairsOf : pairsOf);
    else yield { word: foldWord(word), start: index, end: index + word.length };
  }
}

/**
 * What is given to the index instead of the text. `unicode61` takes a run without spaces for one word, so every
 * character of it and every two neighbours are written down as words of their own, in an order that keeps phrases
 * whole: 日本語 becomes 日 日本 本 本語 語. Texts in Latin letters are given as they are.
 */
export function toIndexed(text: string): string {
  if (!beyondLatin.test(text)) return clip(text, maxIndexedLength);
  const words: string[] = [];
  let length = 0;
  for (const word of splitForIndex(text)) {
    length += word.length + 1;
    if (length > maxIndexedLength) break;
    words.push(word);
  }
  return words.join(" ");
}

/** What comes later in a text is not searched: a text of a megabyte would hold up everybody else while it is indexed. */
export const maxIndexedLength = 256 * 1024;

function* splitForIndex(text: string): Generator<string> {
  for (const { 0: word } of text.matchAll(wordPattern)) {
    if (!hasUnspaced.test(word)) yield foldWord(word);
    else for (const part of partsOf(word, 0, charactersAndPairsOf)) yield part.word;
  }
}

/** Characters of scripts without spaces have no case and no accents to fold. */
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
