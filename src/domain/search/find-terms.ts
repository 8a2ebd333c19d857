import { maxWords } from "./measures.ts";
import type { Question, Term } from "./question.ts";
import { stem } from "./words/porter.ts";
import { stopWords } from "./words/word-lists.ts";
import { wordsIn } from "./words/words.ts";

/** An occurrence of a search term in a text. `order` counts the significant words before it. */
type FoundTerm = { term: number; start: number; end: number; order: number };

/**
 * Finds the terms of one question in texts. Caches stems. Stems a word only if it starts with the same letter as a
 * term, because stemming never changes the first letter.
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

/** A recent word. The recent words are kept in a ring as long as the longest phrase. */
type Recent = { stemmed: string; start: number; order: number };

/** Returns the first word of a phrase that ends with the newest word, or `undefined` if the words differ. */
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

/** Caches the result for the latest text, so that several queries about one text scan it once. */
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

/** Returns the terms that occur in a text, as a bit mask. */
export function maskIn(find: FindTerms, text: string): number {
  let mask = 0;
  for (const { term } of find(text)) mask |= 1 << term;
  return mask;
}
