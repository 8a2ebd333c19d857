import { maxWords } from "./measures.ts";
import { stem } from "./words/porter.ts";
import { stopWords } from "./words/word-lists.ts";
import { toStems, wordsIn } from "./words/words.ts";

/** A search term: a word, or a phrase whose words must be adjacent. */
export type Term = {
  /** As typed. */
  text: string;
  /** As indexed: stems separated by spaces. */
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

/** Parses user input into search terms. Apart from quotation marks, the input has no syntax. */
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

/** A quoted phrase is one term. Only the first words of a very long phrase count. */
function phraseOf(phrase: string): Term {
  const words = [...wordsIn(phrase)].slice(0, maxWords);
  const indexed = toStems(phrase.slice(0, words.at(-1)?.end));
  return termOf(
    phrase.trim(),
    words.map(({ word }) => word),
    indexed,
  );
}

/** If punctuation splits a typed word, its parts must be adjacent. */
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

/** An occurrence of a search term in a text. `order` counts the significant words before it. */
type FoundTerm = { term: number; start: number; end: number; order: number };

/**
 * Finds the terms of one question in texts. Caches stems. Stems only words that begin like a term, because a stem
 * always begins like its word.
 */
export function createTermFinder(terms: readonly Term[]) {
  const stems = new Map<string, string>();
  const beginnings = new Set(terms.flatMap((term) => term.stems.map((word) => word.slice(0, 1))));
  const withParts = terms.some(({ stems: [first = ""] }) => isSingleCharacter(first));
  const byLast = new Map<string, number[]>();
  for (const [n, term] of terms.entries()) {
    const last = term.stems.at(-1) ?? "";
    byLast.set(last, [...(byLast.get(last) ?? []), n]);
  }

  function stemOf(word: string): string {
    if (!beginnings.has(word.slice(0, 1))) return "";
    let known = stems.get(word);
    if (known === undefined) {
      known = stem(word);
      stems.set(word, known);
    }
    return known;
  }

  /** Ordered by their ends. Takes linear time. */
  return function* find(text: string): Generator<FoundTerm> {
    const recent: Recent[] = [];
    let order = 0;
    let count = 0;
    for (const { word, start, end, isPart } of wordsIn(text, withParts)) {
      if (isPart) {
        for (const term of byLast.get(word) ?? [])
          if (terms[term]?.stems.length === 1) yield { term, start, end, order };
        continue;
      }
      if (!stopWords.has(word)) order += 1;
      const stemmed = stemOf(word);
      recent[count % maxWords] = { stemmed, start, order };
      count += 1;
      if (stemmed === "") continue;
      for (const term of byLast.get(stemmed) ?? []) {
        const first = startOfPhrase(terms[term]?.stems ?? [], recent, count);
        if (first) yield { term, start: first.start, end, order: first.order };
      }
    }
  };
}

const isSingleCharacter = (word: string): boolean => /^[^\0-\u024f]$/u.test(word);

/** The most recent words, in a ring as long as the longest phrase. */
type Recent = { stemmed: string; start: number; order: number };

/** The start of a phrase that ends with the newest word. `undefined` if the words before it differ. */
function startOfPhrase(
  phrase: readonly string[],
  recent: readonly Recent[],
  count: number,
): Recent | undefined {
  if (phrase.length > count) return undefined;
  const wordAt = (n: number) => recent[(count - phrase.length + n) % maxWords];
  for (let n = phrase.length - 1; n >= 0; n -= 1) if (wordAt(n)?.stemmed !== phrase[n]) return undefined;
  return wordAt(0);
}

export type FindTerms = ReturnType<typeof createTermFinder>;

/** Caches the result for the latest text, so several queries about one text scan it only once. */
export function findOncePerText(find: FindTerms): FindTerms {
  let last: string | undefined;
  let found: FoundTerm[] = [];
  return function* (text) {
    if (text !== last) {
      found = [...find(text)];
      last = text;
    }
    yield* found;
  };
}

/** Counts adjacent terms of the question that are also close in the text: adjacent, or with one word in between. */
export function countAdjacent(find: FindTerms, { neighbours }: Question, text: string): number {
  const missing = new Map(neighbours.map((pair) => [pair.join(" "), pair]));
  let recent: FoundTerm[] = [];
  for (const found of find(text)) {
    recent = recent.filter(({ order }) => order >= found.order - 2);
    for (const { term, order } of recent) if (order < found.order) missing.delete(`${term} ${found.term}`);
    recent.push(found);
    if (missing.size === 0) break;
  }
  return neighbours.length - missing.size;
}

/** The terms that occur in a text, as a bit mask. */
export function maskIn(find: FindTerms, text: string): number {
  let mask = 0;
  for (const { term } of find(text)) mask |= 1 << term;
  return mask;
}
