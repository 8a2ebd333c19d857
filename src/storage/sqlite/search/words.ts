import { toStems } from "../../../domain/search/words/words.ts";

const maxWords = 32;

/** Every word and every "quoted phrase" of what a person typed. */
export function phrasesOf(query: string): string[] {
  return [...query.replaceAll("\0", " ").matchAll(/"([^"]+)"|([\p{L}\p{N}\p{M}\p{Co}]+)/gu)]
    .map(([, phrase, word]) => phrase ?? word ?? "")
    .filter((phrase) => /[\p{L}\p{N}]/u.test(phrase))
    .slice(0, maxWords);
}

/** Words as a string of FTS5's: whatever stands in them is never its syntax. */
export const quoteWords = (words: string): string => `"${words.replaceAll('"', " ")}"`;

/**
 * Turns what a person typed into an FTS5 expression that wants every word and every "quoted phrase" of it.
 * `undefined` when nothing searchable is left.
 */
export function matchWords(query: string, ending: "exact" | "prefix" = "exact"): string | undefined {
  const phrases = phrasesOf(query);
  if (phrases.length === 0) return undefined;
  return phrases.map((phrase) => quotePhrase(phrase, ending)).join(" AND ");
}

/** `prefix`: the last word of the phrase may be the beginning of a longer one. */
export const quotePhrase = (phrase: string, ending: "exact" | "prefix"): string =>
  quoteWords(toStems(phrase)) + (ending === "prefix" ? " *" : "");
