import type { Connection } from "../connection/open-database.ts";

/** What is indexed for full text, followed by a watermark. */
export type WordSource = {
  countPending(connection: Connection): number;
  /** Call inside a write. */
  indexBatch(connection: Connection): void;
};

/** Rows a transaction: holds the write lock for a few milliseconds. */
const batchRows = 400;

type Source = {
  /** The counter that holds the watermark. */
  mark: string;
  /** A table with a column seq, and which of its rows are indexed. */
  rows: string;
  /** Indexes those rows above ? and up to ?. */
  insert: string;
};

function createWordSource({ mark, rows, insert }: Source): WordSource {
  const watermark = `(SELECT value FROM counters WHERE name = '${mark}')`;
  return {
    countPending({ sql }) {
      return Number(
        sql(`SELECT count(*) AS pending FROM ${rows} AND seq > ${watermark}`).get()?.["pending"] ?? 0,
      );
    },
    indexBatch({ sql }) {
      const done = Number(sql(`SELECT ${watermark} AS done`).get()?.["done"] ?? 0);
      const last = sql(
        `SELECT max(seq) AS last FROM (SELECT seq FROM ${rows} AND seq > ? ORDER BY seq LIMIT ?)`,
      ).get(done, batchRows);
      if (typeof last?.["last"] !== "number") return;
      sql(insert).run(done, last["last"]);
      sql("UPDATE counters SET value = ? WHERE name = ?").run(last["last"], mark);
    },
  };
}

export const thoughtWords = createWordSource({
  mark: "indexed_seq",
  rows: "thoughts WHERE 1",
  insert:
    "INSERT INTO thought_words (rowid, thought) SELECT seq, thought FROM thoughts WHERE seq > ? AND seq <= ?",
});

const nodeVersions = "graph_versions WHERE kind = 'node' AND visible = 1";

/** Deleted nodes are found by those who ask for them; versions that nobody sees any more are not. `place` holds the document's number as a word, so that one workspace never wades through the words of another. */
const newGraphWords = createWordSource({
  mark: "graph_indexed_seq",
  rows: nodeVersions,
  insert: `INSERT INTO graph_words (rowid, place, title, text)
    SELECT seq, 'd' || doc, coalesce(title, ''), coalesce(text, '') FROM ${nodeVersions} AND seq > ? AND seq <= ?`,
});

/** The index has no contents of its own and must be told what it held. */
function forgetStale({ sql }: Connection): void {
  const last = sql(
    "SELECT max(seq) AS last FROM (SELECT seq FROM graph_stale_words ORDER BY seq LIMIT ?)",
  ).get(batchRows)?.["last"];
  if (typeof last !== "number") return;
  sql(`INSERT INTO graph_words (graph_words, rowid, place, title, text)
       SELECT 'delete', v.seq, 'd' || v.doc, coalesce(v.title, ''), coalesce(v.text, '')
       FROM graph_stale_words s JOIN graph_words_docsize d ON d.id = s.seq JOIN graph_versions v ON v.seq = s.seq
       WHERE s.seq <= ?`).run(last);
  sql("DELETE FROM graph_stale_words WHERE seq <= ?").run(last);
}

export const graphWords: WordSource = {
  countPending: newGraphWords.countPending,
  indexBatch(connection) {
    forgetStale(connection);
    newGraphWords.indexBatch(connection);
  },
};
