import type { Columns } from "./columns.ts";

/** Finds the thoughts up to a moment that contain every word of the query, in order of arrival. Case is ignored. */
export function searchThoughts(columns: Columns, query: string, moment: number): number[] {
  const wanted = wordsOf(query);
  if (wanted.length === 0) return [];
  const hits: number[] = [];
  const last = Math.min(moment, columns.size - 1);
  for (let i = 0; i <= last; i++) {
    const text = fold(columns.text[i] ?? "");
    if (wanted.every((word) => text.includes(word))) hits.push(i);
  }
  return hits;
}

/** Splits a query into words and "quoted phrases". */
export const wordsOf = (query: string): string[] =>
  [...fold(query).matchAll(/"([^"]*)"|[^\s"]+/g)].map(([word, phrase]) => phrase ?? word).filter(Boolean);

const fold = (text: string): string => text.toLowerCase().trim();

export type Excerpt = { before: string; match: string; after: string };

/** Returns the text from shortly before the first match. `match` is empty if there is none. */
export function excerptAt(text: string, query: string): Excerpt {
  const lower = text.toLowerCase();
  const [first] = wordsOf(query)
    .map((word) => ({ at: lower.indexOf(word), length: word.length }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at);
  // Lower case can be longer than the text (İ). Positions would then differ, so nothing is marked.
  if (!first || lower.length !== text.length) return { before: text, match: "", after: "" };
  const { at, length } = first;
  const cut = at > 24 ? text.lastIndexOf(" ", at - 10) + 1 : 0;
  return {
    before: (cut > 0 ? "… " : "") + text.slice(cut, at),
    match: text.slice(at, at + length),
    after: text.slice(at + length),
  };
}

/** How many texts are searched for a suggestion, and how far the suggestion may differ from the query. */
const MOST_TEXTS = 5000;
const FARTHEST = 2;

/**
 * Suggests a word in the session that is spelled almost like the query. If several are equally close,
 * suggests the most frequent one.
 */
export function suggestWord(columns: Columns, query: string): string | undefined {
  const from = Math.max(0, columns.size - MOST_TEXTS);
  return suggestFrom(
    (function* texts() {
      for (let i = from; i < columns.size; i++) yield columns.text[i] ?? "";
    })(),
    query,
  );
}

/** Like `suggestWord`, but searches any texts. */
export function suggestFrom(texts: Iterable<string>, query: string): string | undefined {
  const wanted = fold(query);
  if (wanted.length < 3 || wanted.length > 40 || wanted.includes(" ")) return undefined;
  const seen = new Map<string, number>();
  for (const text of texts)
    for (const word of fold(text.slice(0, 2000)).match(/[\p{L}\p{N}-]{3,40}/gu) ?? [])
      if (Math.abs(word.length - wanted.length) <= FARTHEST) seen.set(word, (seen.get(word) ?? 0) + 1);
  let best: { word: string; distance: number; count: number } | undefined;
  for (const [word, count] of seen) {
    const distance = editDistance(word, wanted);
    if (distance > FARTHEST || distance === 0) continue;
    if (!best || distance < best.distance || (distance === best.distance && count > best.count))
      best = { word, distance, count };
  }
  return best?.word;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
