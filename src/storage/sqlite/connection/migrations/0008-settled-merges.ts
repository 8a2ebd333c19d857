import type { Migration } from "./migration.ts";

/**
 * What a branch and its base last agreed on, whichever was merged into which: of each key the version that the source
 * had then, `NULL` where it had none.
 *
 * Deleting a branch hides it from now on; those that were deleted before have lost what they held (`erased`).
 */
export const settledMerges: Migration = {
  rewrites: true,
  apply: (db) =>
    db.exec(`
  CREATE TABLE graph_settled (
    sid INTEGER PRIMARY KEY,
    wid INTEGER NOT NULL REFERENCES memory_workspaces (wid),
    bid INTEGER NOT NULL REFERENCES memory_branches (bid),
    doc INTEGER NOT NULL REFERENCES memory_docs (doc),
    key TEXT NOT NULL,
    seq INTEGER,
    UNIQUE (bid, doc, key)
  );
  CREATE INDEX graph_conflicts_open ON graph_conflicts (into_bid, doc, from_bid, key) WHERE status = 'open';
  ALTER TABLE memory_branches ADD COLUMN erased INTEGER NOT NULL DEFAULT 0;
  UPDATE memory_branches SET erased = 1 WHERE deleted_at_ms IS NOT NULL;
  DROP INDEX memory_branches_by_base;
  CREATE INDEX memory_branches_by_base ON memory_branches (base, base_seq);
  `),
};
