import { stem } from "../../../../domain/search/words/porter.ts";
import type { Connection } from "../../connection/open-database.ts";
import { phrasesOf, quotePhrase, quoteWords } from "../../search/words.ts";
import type { GraphView } from "./graph-view.ts";

/** Words of the index that are asked for one by one; where more of them begin so, FTS5 gathers them itself. */
const maxTerms = 8;

/**
 * FTS5 for nodes of the graph that have every word and every "quoted phrase" of a text, in title or text, by its
 * beginning. `undefined` where no node can.
 *
 * For a beginning FTS5 gathers and sorts all rows before it returns the first; for words as they are it
 * walks from the newest on. So beginnings are spelled out where few words have them.
 */
export function wordExpression({ place, doc }: GraphView, text: string): string | undefined {
  const phrases = phrasesOf(text);
  const wanted = phrases.map((phrase) => beginning(place.connection, phrase));
  if (wanted.length === 0 || wanted.includes(undefined)) return undefined;
  return `place : "d${doc}" AND {title text} : (${wanted.join(" AND ")})`;
}

/** Shorter ones are the beginning of too many words to be worth a look. */
const isSpelledOut = /^[A-Za-z0-9]{3,}$/;

function beginning(connection: Connection, phrase: string): string | undefined {
  const asBeginning = quotePhrase(phrase, "prefix");
  if (!isSpelledOut.test(phrase)) return asBeginning;
  const terms = termsWith(connection, stem(phrase.toLowerCase()));
  if (terms.length > maxTerms) return asBeginning;
  return terms.length === 0 ? undefined : `(${terms.map(quoteWords).join(" OR ")})`;
}

/** The first terms of the index that begin so, at most one more than are asked for one by one. */
function termsWith({ sql }: Connection, start: string): string[] {
  // One look a term: a list of all would visit every place where each of them stands.
  const next = sql("SELECT term FROM graph_words_terms WHERE term >= ? LIMIT 1");
  const terms: string[] = [];
  for (let from = start; terms.length <= maxTerms; ) {
    const term = next.get(from)?.["term"];
    if (typeof term !== "string" || !term.startsWith(start)) break;
    terms.push(term);
    from = `${term}\u0001`;
  }
  return terms;
}
