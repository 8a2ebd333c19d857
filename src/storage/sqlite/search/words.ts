import { phrasesOf, toStems } from "../../../domain/search/words/words.ts";
import type { Connection } from "../connection/open-database.ts";

/** Quotes words as an FTS5 string, so that they are never treated as its syntax. */
export const quoteWords = (words: string): string => `"${words.replaceAll('"', " ")}"`;

/**
 * Turns what a person typed into an FTS5 expression that requires every word and every "quoted phrase". `undefined` if
 * nothing searchable is left.
 */
export function matchWords(query: string, ending: "exact" | "prefix" = "exact"): string | undefined {
  const phrases = phrasesOf(query);
  if (phrases.length === 0) return undefined;
  return phrases.map((phrase) => quotePhrase(phrase, ending)).join(" AND ");
}

/** Quotes a phrase's stems. With `prefix`, the last word may be the beginning of a longer one. */
export const quotePhrase = (phrase: string, ending: "exact" | "prefix"): string =>
  quoteWords(toStems(phrase)) + (ending === "prefix" ? " *" : "");

/**
 * Removes a session's thoughts from the index. The index does not store the text, so a deletion has to pass the
 * indexed text.
 */
export function forgetThoughts({ sql }: Connection, sid: number): void {
  const indexed = sql(
    `SELECT t.seq, t.thought FROM thoughts t JOIN text_words_docsize d ON d.id = t.seq WHERE t.sid = ?`,
  ).all(sid);
  const forget = sql(
    "INSERT INTO text_words (text_words, rowid, place, text) VALUES ('delete', ?, 's' || ?, ?)",
  );
  for (const { seq = 0, thought } of indexed) forget.run(seq, sid, toStems(String(thought)));
  sql("DELETE FROM typed_thoughts WHERE seq IN (SELECT seq FROM thoughts WHERE sid = ?)").run(sid);
}
