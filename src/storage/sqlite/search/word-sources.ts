import { createStemmer } from "../../../domain/search/words/porter.ts";
import { maxIndexedLength, toStems } from "../../../domain/search/words/words.ts";
import type { Connection } from "../connection/open-database.ts";
import { currentSeq } from "../connection/sequence.ts";

/** A source of rows for the full-text index, tracked by a watermark. */
export type WordSource = {
  countPending(connection: Connection): number;
  /** True if there are many rows above the watermark that are never indexed but that each count has to scan. */
  isFarBehind(connection: Connection): boolean;
  /** Call inside a write. Returns how many rows it indexed, or 0 if there are none left. */
  indexBatch(connection: Connection, size: BatchSize): number;
};

/**
 * A small batch holds the write lock and blocks the process for a few milliseconds. A large batch is for a caller that
 * waits for it.
 */
export type BatchSize = "small" | "large";

const batchRows = 400;
const batchBytes: Readonly<Record<BatchSize, number>> = { small: 12 * 1024, large: 256 * 1024 };
/** Up to this many rows can be scanned repeatedly. */
const fewRows = 1_000;

type Source = {
  /** The counter that contains the watermark. */
  mark: string;
  /**
   * `from` names a table with a `seq` column and contains the condition for rows to index. `text` is the
   * column with the most text.
   */
  rows: readonly { from: string; text: string }[];
  /** Indexes the rows with a seq above `above` and up to `upTo`. Returns the number of indexed rows. */
  insert(connection: Connection, above: number, upTo: number): number;
  /**
   * A table that also contains rows that are never indexed. Once everything due is indexed, the watermark moves past
   * them.
   */
  mixedIn?: string;
};

function createWordSource({ mark, rows, insert, mixedIn }: Source): WordSource {
  const watermark = `(SELECT value FROM counters WHERE name = '${mark}')`;
  const counts = rows.map(({ from }) => `(SELECT count(*) FROM ${from} AND seq > ${watermark})`).join(" + ");
  const next = rows
    .map(({ from, text }) => `SELECT seq, octet_length(${text}) AS size FROM ${from} AND seq > ?1`)
    .join(" UNION ALL ");
  return {
    countPending: ({ sql }) => Number(sql(`SELECT ${counts} AS pending`).get()?.["pending"] ?? 0),
    isFarBehind: ({ sql }) =>
      mixedIn !== undefined &&
      sql(`SELECT 1 FROM ${mixedIn} WHERE seq > ${watermark} LIMIT 1 OFFSET ${fewRows}`).get() !== undefined,
    indexBatch(connection, size) {
      const { sql } = connection;
      const done = Number(sql(`SELECT ${watermark} AS done`).get()?.["done"] ?? 0);
      const due = sql(`SELECT seq, size FROM (${next}) ORDER BY seq LIMIT ?2`).all(done, batchRows);
      const last = lastOfBatch(due, batchBytes[size]);
      const isAll = due.length < batchRows && last === due.at(-1)?.["seq"];
      const reached = isAll && mixedIn !== undefined ? currentSeq(connection) : (last ?? done);
      if (reached === done) return 0;
      const indexed = last === undefined ? 0 : insert(connection, done, last);
      sql("UPDATE counters SET value = ? WHERE name = ?").run(reached, mark);
      return indexed;
    },
  };
}

/** Returns the seq of a batch's last row. A batch contains at least one row and as many more as fit. */
function lastOfBatch(rows: readonly Record<string, unknown>[], most: number): number | undefined {
  let bytes = 0;
  let last: number | undefined;
  for (const { seq, size } of rows) {
    bytes += Number(size ?? 0);
    if (last !== undefined && bytes > most) break;
    last = Number(seq);
  }
  return last;
}

/**
 * Indexes thoughts and notes together, because a seq belongs to only one of them. `place` contains a thought's session.
 */
export function createTextWords(): WordSource {
  const stemOf = createStemmer();
  return createWordSource({
    mark: "indexed_seq",
    rows: [
      { from: "thoughts WHERE 1", text: "thought" },
      { from: "memory_entries WHERE kind = 'note'", text: "content" },
    ],
    insert(connection, above, upTo) {
      const rows = connection
        .sql(`SELECT seq, 's' || sid AS place, substr(thought, 1, ?3) AS text FROM thoughts WHERE seq > ?1 AND seq <= ?2
          UNION ALL SELECT seq, 'note', substr(coalesce(title || char(10), '') || content, 1, ?3) FROM memory_entries
          WHERE kind = 'note' AND seq > ?1 AND seq <= ?2 ORDER BY seq`)
        .all(above, upTo, maxRead);
      // Inserts rows in `seq` order, one statement per row. FTS5 begins a new segment of its index before
      // each statement that inserts several rows, and a search reads every segment.
      const insert = connection.sql("INSERT INTO text_words (rowid, place, text) VALUES (?, ?, ?)");
      for (const { seq = 0, place = "", text } of rows) insert.run(seq, place, toStems(String(text), stemOf));
      countTexts(connection.sql, above, upTo);
      return rows.length;
    },
    mixedIn: "memory_entries",
  });
}

/** How many characters of a text to read, which is more than are ever indexed from one text. */
const maxRead = 4 * maxIndexedLength;

/** Updates the other tables for thoughts and notes that can now be found. Copies made by a merge are not counted. */
function countTexts(sql: Connection["sql"], above: number, upTo: number): void {
  sql(`INSERT OR IGNORE INTO searchable_notes SELECT seq FROM memory_entries
    WHERE kind = 'note' AND seq > ? AND seq <= ?`).run(above, upTo);
  sql(`INSERT INTO note_totals SELECT b.wid, count(*) FROM memory_entries e JOIN memory_branches b USING (bid)
    WHERE e.kind = 'note' AND e.origin = e.seq AND b.deleted_at_ms IS NULL AND e.seq > ? AND e.seq <= ? GROUP BY b.wid
    ON CONFLICT (wid) DO UPDATE SET notes = notes + excluded.notes`).run(above, upTo);
  sql(`INSERT OR IGNORE INTO typed_thoughts SELECT seq FROM thoughts
    WHERE cipher_types IS NOT NULL AND seq > ? AND seq <= ?`).run(above, upTo);
  sql(`UPDATE sessions SET counted = thought_count WHERE counted <> thought_count
    AND sid IN (SELECT sid FROM thoughts WHERE seq > ? AND seq <= ?)`).run(above, upTo);
}

/** Excludes versions that a merge has staged ahead of the counter. */
const nodeVersions = `graph_versions WHERE kind = 'node' AND visible = 1
  AND seq <= (SELECT value FROM counters WHERE name = 'seq')`;

/** Returns the texts as they were indexed, which deleting a row from the index requires. */
type GraphTexts = (sql: Connection["sql"], seq: number) => [place: string, title: string, text: string];

function createGraphTexts(): GraphTexts {
  const stemOf = createStemmer();
  return (sql, seq) => {
    const row = sql("SELECT doc, title, text FROM graph_versions WHERE seq = ?").get(seq);
    const indexed = (column: "title" | "text") => toStems(String(row?.[column] ?? ""), stemOf);
    return [`d${row?.["doc"]}`, indexed("title"), indexed("text")];
  };
}

/** Removes stale versions from the index. The index does not store their text, so each deletion passes it. */
function forgetStale({ sql }: Connection, graphTexts: GraphTexts): void {
  const stale = sql(
    `SELECT s.seq FROM graph_stale_words s JOIN graph_words_docsize d ON d.id = s.seq ORDER BY s.seq LIMIT ?`,
  ).all(batchRows);
  const forget = sql(
    "INSERT INTO graph_words (graph_words, rowid, place, title, text) VALUES ('delete', ?, ?, ?, ?)",
  );
  for (const { seq } of stale) forget.run(seq ?? 0, ...graphTexts(sql, Number(seq)));
  const last = stale.at(-1)?.["seq"];
  if (stale.length < batchRows) sql("DELETE FROM graph_stale_words").run();
  else sql("DELETE FROM graph_stale_words WHERE seq <= ?").run(last ?? 0);
}

/**
 * Indexes the words of nodes. Searches can find deleted nodes, but not invisible versions. `place` contains
 * the document's number as a word, so that a search in one workspace does not scan the words of another.
 */
export function createGraphWords(): WordSource {
  const graphTexts = createGraphTexts();
  const source = createWordSource({
    mark: "graph_indexed_seq",
    rows: [{ from: nodeVersions, text: "text" }],
    insert({ sql }, above, upTo) {
      const insert = sql("INSERT INTO graph_words (rowid, place, title, text) VALUES (?, ?, ?, ?)");
      const rows = sql(`SELECT seq FROM ${nodeVersions} AND seq > ? AND seq <= ? ORDER BY seq`).all(
        above,
        upTo,
      );
      for (const { seq } of rows) insert.run(seq ?? 0, ...graphTexts(sql, Number(seq)));
      return rows.length;
    },
  });
  return {
    ...source,
    indexBatch(connection, size) {
      forgetStale(connection, graphTexts);
      return source.indexBatch(connection, size);
    },
  };
}
