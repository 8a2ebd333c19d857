import { stem } from "../../../domain/search/words/porter.ts";
import { phrasesOf } from "../../../domain/search/words/words.ts";
import type { NodeWords } from "../../memory/graph/graph-query.ts";
import { type GraphView, isHead } from "../../memory/graph/graph-view.ts";
import { withPlace } from "../../memory/graph/past-graph.ts";
import { limitedTo } from "../../memory/graph/strides.ts";
import { all, each, get, type Query } from "../../memory/query.ts";
import { quotePhrase, quoteWords } from "../search/words.ts";

/** How many words a query may list instead of a prefix. If more words start with the prefix, FTS5 resolves it. */
const maxTerms = 8;

/**
 * Returns an FTS5 expression for nodes that contain every word and every "quoted phrase" of the query in the title or
 * text, or `undefined` if no node can match. Words match by prefix.
 *
 * For a prefix, FTS5 collects and sorts all rows before it returns the first. For complete words, it starts at the
 * newest row and reads only as far as needed. If few words start with a prefix, the query lists those words instead.
 */
function* wordExpression({ doc }: GraphView, text: string): Query<string | undefined> {
  const wanted = yield* each(phrasesOf(text), beginning);
  if (wanted.length === 0 || wanted.includes(undefined)) return undefined;
  return `place : "d${doc}" AND {title text} : (${wanted.join(" AND ")})`;
}

/** Only prefixes of at least three characters are spelled out, because shorter ones match too many words. */
const isSpelledOut = /^[A-Za-z0-9]{3,}$/;

function* beginning(phrase: string): Query<string | undefined> {
  const asBeginning = quotePhrase(phrase, "prefix");
  if (!isSpelledOut.test(phrase)) return asBeginning;
  const terms = yield* termsWith(stem(phrase.toLowerCase()));
  if (terms.length > maxTerms) return asBeginning;
  return terms.length === 0 ? undefined : `(${terms.map(quoteWords).join(" OR ")})`;
}

/** Returns the first terms in the index with this prefix, at most `maxTerms` + 1. */
function* termsWith(start: string): Query<string[]> {
  const terms: string[] = [];
  for (let from = start; terms.length <= maxTerms; ) {
    // One lookup per term, because a list of all terms would visit every occurrence of each.
    const row = yield* get("SELECT term FROM graph_words_terms WHERE term >= ? LIMIT 1", from);
    const term = row?.["term"];
    if (typeof term !== "string" || !term.startsWith(start)) break;
    terms.push(term);
    from = `${term}\u0001`;
  }
  return terms;
}

/**
 * The maximum number of documents to list in the index query. If there are more, the results of the query are
 * filtered instead.
 */
const maxPlaces = 200;

/** SQL: the newest current nodes that contain a word. Reads in index order, and no more than one page. */
const heads = `SELECT ${withPlace} FROM graph_words w CROSS JOIN graph_versions v
  ON v.seq = w.rowid AND v.kind = 'node' AND v.deleted = 0 JOIN memory_docs d ON d.doc = v.doc AND d.wid = ?1
  JOIN memory_branches b ON b.bid = v.bid AND b.deleted_at_ms IS NULL
  WHERE graph_words MATCH ?2 AND ${isHead("v")} ORDER BY w.rowid DESC LIMIT ?3`;

export const nodeWords: NodeWords = {
  *among(view, seqs, text) {
    const expression = yield* wordExpression(view, text);
    if (expression === undefined) return [];
    const fitting: number[] = [];
    for (const seq of seqs)
      if (yield* get("SELECT 1 FROM graph_words WHERE graph_words MATCH ? AND rowid = ?", expression, seq))
        fitting.push(seq);
    return fitting;
  },
  *newest(view, text) {
    const expression = yield* wordExpression(view, text);
    if (expression === undefined) return undefined;
    return function* (end, count) {
      const rows = yield* all(
        "SELECT rowid AS seq FROM graph_words WHERE graph_words MATCH ? AND rowid <= ? ORDER BY rowid DESC LIMIT ?",
        ...[expression, end, count],
      );
      return limitedTo(
        rows.map((row) => Number(row["seq"])),
        count,
      );
    };
  },
  *heads({ wid }, stems, limit) {
    const docs = yield* all("SELECT doc FROM memory_docs WHERE wid = ? LIMIT ?", wid, maxPlaces + 1);
    if (docs.length === 0) return [];
    const places =
      docs.length > maxPlaces ? "" : `place : (${docs.map(({ doc }) => `"d${doc}"`).join(" OR ")}) AND `;
    const found = yield* each(stems, (word) =>
      all(heads, wid, `${places}({title text} : ${quoteWords(word)})`, limit),
    );
    return found.flat();
  },
};
