import type { Migration } from "./migration.ts";

/**
 * At number `seq` a branch and its base showed the same graph in `doc`, but for these keys (a list in JSON). Comparing
 * the two looks at those and at what either has written since. A row that is missing costs a longer look: everything
 * since the branch was made.
 */
export const knownDifferences: Migration = {
  apply: (db) =>
    db.exec(`
  CREATE TABLE graph_known_differences (
    bid INTEGER NOT NULL REFERENCES memory_branches (bid) ON DELETE CASCADE,
    doc INTEGER NOT NULL REFERENCES memory_docs (doc) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    keys TEXT NOT NULL,
    PRIMARY KEY (bid, doc)
  ) WITHOUT ROWID;
  `),
};
