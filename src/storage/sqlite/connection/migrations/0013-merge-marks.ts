import type { Migration } from "./migration.ts";

/**
 * Merges and differences compare keys by their fingerprints alone, and find them in the index.
 *
 * `graph_merged`: up to which number the source of a merge holds nothing that is not settled with the target. It only
 * saves work: a row that is missing costs one look at every key.
 */
export const mergeMarks: Migration = {
  apply: (db) =>
    db.exec(`
  DROP INDEX graph_by_key;
  CREATE INDEX graph_by_key ON graph_versions (doc, key, seq, bid, deleted, fingerprint) WHERE visible = 1;
  CREATE TABLE graph_merged (
    bid INTEGER NOT NULL REFERENCES memory_branches (bid) ON DELETE CASCADE,
    doc INTEGER NOT NULL REFERENCES memory_docs (doc) ON DELETE CASCADE,
    from_bid INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (bid, doc, from_bid)
  ) WITHOUT ROWID;
  `),
};
