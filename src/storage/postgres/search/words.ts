import { phrasesOf, toStems } from "../../../domain/search/words/words.ts";
import { toQuery } from "./vectors.ts";

/**
 * Turns what a person typed into a tsquery that requires every word and every "quoted phrase", by prefix. `undefined`
 * if nothing searchable is left.
 */
export function matchWords(query: string): string | undefined {
  const phrases = phrasesOf(query);
  if (phrases.length === 0) return undefined;
  const wanted = phrases.map((phrase) => toQuery(toStems(phrase), "prefix")).filter((one) => one !== "");
  return wanted.length === 0 ? undefined : wanted.join(" & ");
}
