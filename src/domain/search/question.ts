import { maxWords } from "./measures.ts";
import { stem } from "./words/porter.ts";
import { stopWords } from "./words/word-lists.ts";
import { toStems, wordsIn } from "./words/words.ts";

/** A search term: a word, or a phrase whose words must be adjacent. */
export type Term = {
  /** As typed. */
  text: string;
  /** The term as indexed: stems separated by spaces. */
  wanted: string;
  /** Its words, stemmed. */
  stems: readonly string[];
};

export type Question = {
  terms: readonly Term[];
  /** Pairs of adjacent terms, ignoring stop words, by their index in `terms`. */
  neighbours: readonly (readonly [number, number])[];
};

const typedPattern = /"([^"]*)"|[\p{L}\p{N}\p{Co}\p{M}]+/gu;
const hasContent = /[\p{L}\p{N}\p{Co}]/u;

/** Parses user input into search terms. Quotation marks are the only syntax. */
export function parseQuestion(query: string): Question {
  const typed = [...typedTerms(query)];
  const significant = typed.filter(({ text }) => !stopWords.has(text.toLowerCase()));
  const kept = significant.length > 0 ? significant : typed;
  const numbers = new Map<string, number>();
  const terms: Term[] = [];
  const order: number[] = [];
  for (const term of kept) {
    const key = term.stems.join(" ");
    let number = numbers.get(key);
    if (number === undefined && terms.length < maxWords) {
      number = terms.push(term) - 1;
      numbers.set(key, number);
    }
    if (number !== undefined) order.push(number);
  }
  return { terms, neighbours: neighboursIn(order) };
}

function* typedTerms(query: string): Generator<Term> {
  for (const [whole, phrase] of query.replaceAll("\0", " ").matchAll(typedPattern)) {
    if (!hasContent.test(whole)) continue;
    if (phrase !== undefined) yield phraseOf(phrase);
    else yield* wordTerms(whole);
  }
}

/** Returns a quoted phrase as one term. Uses only the first words of a very long phrase. */
function phraseOf(phrase: string): Term {
  const words = [...wordsIn(phrase)].slice(0, maxWords);
  const indexed = toStems(phrase.slice(0, words.at(-1)?.end));
  return termOf(
    phrase.trim(),
    words.map(({ word }) => word),
    indexed,
  );
}

/** Yields a typed word as terms. If punctuation splits the word, its parts must be adjacent. */
function* wordTerms(typed: string): Generator<Term> {
  const words = [...wordsIn(typed)];
  const isUnspaced = toStems(typed).split(" ").length > words.length;
  if (!isUnspaced)
    yield termOf(
      typed,
      words.map(({ word }) => word),
    );
  else for (const { word, start, end } of words) yield termOf(typed.slice(start, end), [word]);
}

function termOf(text: string, words: readonly string[], wanted?: string): Term {
  const stems = words.map(stem);
  return { text, wanted: wanted ?? stems.join(" "), stems };
}

function neighboursIn(order: readonly number[]): [number, number][] {
  const pairs = new Map<string, [number, number]>();
  for (const [n, two] of order.slice(1).entries()) {
    const one = order[n] ?? two;
    if (one !== two) pairs.set(`${one} ${two}`, [one, two]);
  }
  return [...pairs.values()];
}
