import { listed, together } from "../measures.ts";
import type { Question, Term } from "../question.ts";
import type { Extent, Holders, RankSource } from "../source.ts";

/** A word of the question that occurs in the scope, and the texts that contain it. */
export type WordList = {
  term: Term;
  /** The word's index in the question, and its bit in the masks. */
  number: number;
  bit: number;
  texts: readonly number[];
  headings: readonly number[];
  /** True if the list omits older texts. */
  cut: boolean;
  /** The number of texts that contain the word. Estimated if the list was truncated. */
  held: number;
};

/** Lists each word separately, so that common words do not crowd out rare ones. */
export async function listWords(
  source: RankSource,
  { terms }: Question,
): Promise<{ extent: Extent; lists: WordList[] }> {
  const max = { texts: listed.first, headings: listed.headings };
  const [extent, ...found] = await Promise.all([
    source.extent(),
    ...terms.map((term) => source.newest(term, max)),
  ]);
  const looked: { term: Term; number: number; holders: Holders }[] = [];
  for (const [number, term] of terms.entries()) {
    const holders = found[number];
    if (holders && holders.texts.length + holders.headings.length > 0) looked.push({ term, number, holders });
  }
  // The store only estimates the last seq, so the lists may contain newer texts.
  const last = Math.max(extent.last, ...looked.map(({ holders }) => holders.texts[0] ?? 0));
  const lists = looked.map(async ({ term, number, holders }): Promise<WordList> => {
    const list = { term, number, bit: 1 << number, headings: holders.headings };
    return { ...list, ...(await lookFurther(source, term, holders.texts, { ...extent, last })) };
  });
  return { extent, lists: await Promise.all(lists) };
}

async function lookFurther(
  source: RankSource,
  term: Term,
  texts: readonly number[],
  extent: Extent,
): Promise<Pick<WordList, "texts" | "cut" | "held">> {
  if (texts.length < listed.first) return { texts, cut: false, held: texts.length };
  if (guessHeld(texts, extent) > listed.rareUpTo) return { texts, cut: true, held: guessHeld(texts, extent) };
  const { texts: more } = await source.newest(term, { texts: listed.more, headings: 0 });
  const cut = more.length >= listed.more;
  return { texts: more, cut, held: cut ? guessHeld(more, extent) : more.length };
}

/**
 * Estimates the number of texts that contain the word, based on the density of the newest matches. Counting
 * would read every text.
 */
function guessHeld(texts: readonly number[], { texts: all, first, last }: Extent): number {
  const oldest = texts.at(-1) ?? last;
  const guess = (texts.length * (last - first + 1)) / Math.max(1, last - oldest + 1);
  return Math.min(Math.max(all, texts.length), Math.max(texts.length, guess));
}

/** Returns, for each text, a bit mask of the words whose lists contain the text. */
export async function masksOf(source: RankSource, lists: readonly WordList[]): Promise<Map<number, number>> {
  const masks = new Map<number, number>();
  const add = (seq: number, bits: number) => masks.set(seq, (masks.get(seq) ?? 0) | bits);
  for (const { texts, bit } of lists) for (const seq of texts) add(seq, bit);
  const common = lists
    .filter(({ cut }) => cut)
    .sort((one, other) => one.held - other.held)
    .slice(0, together.words);
  const pairs = common.flatMap((one, n) => common.slice(n + 1).map((other) => ({ one, other })));
  const found = pairs.map(async ({ one, other }) => {
    for (const seq of await source.both(one.term, other.term, together.listed)) add(seq, one.bit | other.bit);
  });
  await Promise.all(found);
  return masks;
}

/** English words that do not indicate a subject, including parts of contractions (`don` and `t` from "don't"). */
export const stopWords: ReadonlySet<string> = new Set(
  `a about above after again against all am an and any are aren as at be because been before being below between both
  but by can cannot could couldn d did didn do does doesn doing don down during each few for from further had hadn has
  hasn have haven having he her here hers herself him himself his how i if in into is isn it its itself just ll m me
  more most mustn my myself no nor not now o of off on once only or other our ours ourselves out over own re s same shan
  she should shouldn so some such t than that the their theirs them themselves then there these they this those through
  to too under until up ve very was wasn we were weren what when where which while who whom why will with won would
  wouldn y you your yours yourself yourselves`.split(/\s+/),
);
