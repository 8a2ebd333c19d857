import type { Migration } from "./migration.ts";

/**
 * Both only save work.
 *
 * `graph_known_differences`: at number `seq` a branch and its base showed the same graph in `doc`, but for these keys (a
 * list in JSON). Comparing the two looks at those and at what either has written since; without a row, at everything
 * since the branch was made.
 *
 * `graph_words_terms` lists the words that the full-text index holds, in order, and stores nothing.
 */
export const graphShortcuts: Migration = {
  apply: (db) =>
    db.exec(`
  CREATE TABLE graph_known_differences (
    bid INTEGER NOT NULL REFERENCES memory_branches (bid) ON DELETE CASCADE,
    doc INTEGER NOT NULL REFERENCES memory_docs (doc) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    keys TEXT NOT NULL,
    PRIMARY KEY (bid, doc)
  ) WITHOUT ROWID;
  CREATE VIRTUAL TABLE graph_words_terms USING fts5vocab (graph_words, instance);
  `),
};
