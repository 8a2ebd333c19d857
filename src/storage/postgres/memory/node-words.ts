import type { GraphState } from "../../../domain/memory/graph.ts";
import type { VersionRow, WriteKinds } from "../../../domain/memory/steps/rows.ts";
import { createStemmer } from "../../../domain/search/words/porter.ts";
import { phrasesOf, toStems } from "../../../domain/search/words/words.ts";
import type { NodeWords } from "../../memory/graph/graph-query.ts";
import { isHead } from "../../memory/graph/graph-view.ts";
import { withPlace } from "../../memory/graph/past-graph.ts";
import { limitedTo } from "../../memory/graph/strides.ts";
import { all, each, type Wrote } from "../../memory/query.ts";
import type { WriteConnection } from "../connection/access.ts";
import { bulkInsert } from "../connection/insert.ts";
import { reachSeq } from "../connection/sequence.ts";
import { insertWords as insertTextWords, wordsOfText } from "../ledger/ledger-writes.ts";
import { toQuery, toVectors } from "../search/vectors.ts";

/** Returns a prefix query for each word and "quoted phrase" in a text. `undefined` if nothing can match. */
function queriesOf(text: string): string[] | undefined {
  const queries = phrasesOf(text).map((phrase) => toQuery(toStems(phrase), "prefix"));
  return queries.length === 0 || queries.includes("") ? undefined : queries;
}

const hasWords = (queries: readonly string[]): string =>
  queries.map(() => "bool_or(w.words @@ ?::tsquery)").join(" AND ");

const heads = `SELECT ${withPlace} FROM {graph_versions} v JOIN {memory_docs} d ON d.doc = v.doc AND d.wid = ?1
  JOIN {memory_branches} b ON b.bid = v.bid AND b.deleted_at_ms IS NULL
  WHERE v.kind = 'node' AND v.deleted = 0 AND ${isHead("v")} AND v.seq IN (SELECT w.seq FROM {graph_words} w
    WHERE w.doc IN (SELECT o.doc FROM {memory_docs} o WHERE o.wid = ?1) AND w.words @@ ?2::tsquery)
  ORDER BY v.seq DESC LIMIT ?3`;

export const nodeWords: NodeWords = {
  *among(_view, seqs, text) {
    const queries = queriesOf(text);
    if (!queries) return [];
    const rows = yield* all(
      `SELECT w.seq FROM {graph_words} w WHERE w.seq IN NUMBERS(?) GROUP BY w.seq HAVING ${hasWords(queries)}`,
      ...[seqs, ...queries],
    );
    return rows.map((row) => Number(row["seq"]));
  },
  *newest({ doc }, text) {
    const queries = queriesOf(text);
    if (!queries) return undefined;
    const select = `SELECT w.seq FROM {graph_words} w WHERE w.doc = ? AND w.seq <= ? AND w.words @@ ?::tsquery
      GROUP BY w.seq HAVING ${hasWords(queries)} ORDER BY w.seq DESC LIMIT ?`;
    return function* (end, count) {
      const rows = yield* all(select, doc ?? 0, end, queries.join(" | "), ...queries, count);
      return limitedTo(
        rows.map((row) => Number(row["seq"])),
        count,
      );
    };
  },
  *heads({ wid }, stems, limit) {
    return (yield* each(stems, (word) => all(heads, wid, toQuery(word), limit))).flat();
  },
};

type WordsRow = { seq: number; doc: number; part: number; words: string };

const insertWords = bulkInsert<WordsRow>(
  "graph_words",
  { seq: ({ seq }) => seq, doc: ({ doc }) => doc, part: ({ part }) => part, words: ({ words }) => words },
  { types: { words: "tsvector" } },
);

const stemOf = createStemmer();

/**
 * Returns the words to index for a row. Includes deleted nodes, because queries can ask for them, but no
 * superseded versions.
 */
function wordsOf(row: VersionRow): WordsRow[] {
  if (!("state" in row) || row.state.kind !== "node" || row.superseded !== undefined) return [];
  const { title = "", text = "" }: Extract<GraphState, { kind: "node" }> = row.state;
  const vectors = toVectors(toStems(title, stemOf), toStems(text, stemOf));
  return vectors.map((words, part) => ({ seq: row.seq, doc: row.doc, part, words }));
}

/** Indexes what a write has written. Searches find the words after the commit. Call inside the write. */
export function indexWritten(connection: WriteConnection, written: Wrote): void {
  if (written.wrote === "entries") indexEntries(connection, written.rows);
  else if (written.wrote === "versions") indexVersions(connection, written.rows);
  else if (written.wrote === "settled") forgetStaged(connection, written.rows);
  else
    connection.send(
      connection
        .sql("DELETE FROM graph_words WHERE tenant = @tenant AND seq = ANY (?::bigint[])")
        .run(written.seqs),
    );
}

function indexEntries(connection: WriteConnection, rows: readonly WriteKinds["entry"][]): void {
  // The entries already have numbers, which the counter must not assign again.
  reachSeq(connection, Math.max(...rows.map(({ seq }) => seq)));
  const words = rows
    .filter(({ kind }) => kind === "note")
    .flatMap(({ seq, title, content }) =>
      wordsOfText(seq, title === undefined ? content : `${title}\n${content}`),
    );
  if (words.length > 0) connection.send(insertTextWords(connection, words));
}

function indexVersions(connection: WriteConnection, rows: readonly VersionRow[]): void {
  const { sql, send } = connection;
  const words = rows.flatMap(wordsOf);
  if (words.length > 0) send(insertWords(connection, words));
  const copies = rows.flatMap((row) =>
    "copyOf" in row && row.superseded === undefined ? [{ seq: row.seq, of: row.copyOf }] : [],
  );
  if (copies.length > 0)
    send(
      sql(`INSERT INTO graph_words (tenant, seq, doc, part, words) SELECT @tenant, c.seq, w.doc, w.part, w.words
        FROM unnest(?::bigint[], ?::bigint[]) c (seq, copy_of) JOIN {graph_words} w ON w.seq = c.copy_of`).run(
        copies.map(({ seq }) => seq),
        copies.map(({ of }) => of),
      ),
    );
}

/** Removes these keys from what published merges have staged. */
function forgetStaged({ sql, send }: WriteConnection, rows: readonly WriteKinds["settled"][]): void {
  send(
    sql(`DELETE FROM graph_settled_ahead a USING unnest(?::text[], ?::bigint[], ?::bigint[]) u (key, bid, doc)
      WHERE a.tenant = @tenant AND a.mid IN (SELECT m.mid FROM {graph_merges} m WHERE m.published = 1)
      AND a.key = u.key AND a.bid = u.bid AND a.doc = u.doc`).run(
      rows.map(({ key }) => key),
      rows.map(({ child }) => child),
      rows.map(({ doc }) => doc),
    ),
  );
}
