import { listed, together } from "./measures.ts";
import type { Question, Term } from "./question.ts";
import type { Extent, SearchSource } from "./source.ts";

/** A word of the question that stands somewhere, and who holds it. */
export type WordList = {
  term: Term;
  /** Its place in the question, and its bit in the masks below. */
  number: number;
  bit: number;
  texts: readonly number[];
  headings: readonly number[];
  /** There are older texts that are not in the list. */
  cut: boolean;
  /** How many texts hold it; guessed where the list was cut. */
  held: number;
};

/** Lists each word by itself, so that a common one never crowds out a rare one. */
export async function listWords(
  source: SearchSource,
  { terms }: Question,
  extent: Extent,
): Promise<WordList[]> {
  const lists: WordList[] = [];
  for (const [number, term] of terms.entries()) {
    const list = await listWord(source, term, extent);
    if (list.texts.length + list.headings.length > 0) lists.push({ ...list, number, bit: 1 << number });
  }
  return lists;
}

async function listWord(source: SearchSource, term: Term, extent: Extent) {
  const { texts, headings } = await source.newest(term, { texts: listed.first, headings: listed.headings });
  const wasCut = texts.length >= listed.first;
  if (!wasCut || guessHeld(texts, extent) > listed.rareUpTo)
    return describe(term, texts, headings, wasCut, extent);
  const longer = await source.newest(term, { texts: listed.more, headings: 0 });
  return describe(term, longer.texts, headings, longer.texts.length >= listed.more, extent);
}

const describe = (
  term: Term,
  texts: readonly number[],
  headings: readonly number[],
  cut: boolean,
  extent: Extent,
) => ({ term, texts, headings, cut, held: cut ? guessHeld(texts, extent) : texts.length });

/** Counting would visit every text; how close together the newest ones stand tells enough. */
function guessHeld(texts: readonly number[], { texts: all, first, last }: Extent): number {
  const oldest = texts.at(-1) ?? last;
  const guess = (texts.length * (last - first + 1)) / Math.max(1, last - oldest + 1);
  return Math.min(Math.max(all, texts.length), Math.max(texts.length, guess));
}

/** Which words each text holds, as bits, so far as the lists tell. */
export async function masksOf(
  source: SearchSource,
  lists: readonly WordList[],
): Promise<Map<number, number>> {
  const masks = new Map<number, number>();
  const add = (seq: number, bits: number) => masks.set(seq, (masks.get(seq) ?? 0) | bits);
  for (const { texts, bit } of lists) for (const seq of texts) add(seq, bit);
  const common = lists
    .filter(({ cut }) => cut)
    .sort((one, other) => one.held - other.held)
    .slice(0, together.words);
  for (const [n, one] of common.entries()) {
    for (const other of common.slice(n + 1)) {
      for (const seq of await source.both(one.term, other.term, together.listed))
        add(seq, one.bit | other.bit);
    }
  }
  return masks;
}
