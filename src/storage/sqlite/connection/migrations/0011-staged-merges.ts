import type { Migration } from "./migration.ts";

/**
 * A large merge is written ahead of the counter: nobody looks at numbers that it has not reached, and moving it there
 * publishes all at once. A row of `graph_merges` keeps the numbers while versions are staged, and stays after that until
 * the versions they replaced are out of the indexes.
 *
 * Whoever needs those numbers first takes them: the merge gives way and begins again.
 */
export const stagedMerges: Migration = {
  apply: (db) =>
    db.exec(`
  CREATE TABLE graph_merges (
    mid INTEGER PRIMARY KEY,
    wid INTEGER NOT NULL,
    doc INTEGER NOT NULL,
    into_bid INTEGER NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    published INTEGER NOT NULL DEFAULT 0,
    touched_ms INTEGER NOT NULL
  );
  CREATE TRIGGER graph_merge_gives_way BEFORE UPDATE OF value ON counters
  WHEN NEW.name = 'seq' AND NEW.value >= (SELECT min(first_seq) FROM graph_merges WHERE published = 0) BEGIN
    DELETE FROM graph_facets WHERE EXISTS (SELECT 1 FROM graph_merges m WHERE m.published = 0
      AND m.doc = graph_facets.doc AND m.into_bid = graph_facets.bid AND graph_facets.seq >= m.first_seq);
    DELETE FROM graph_versions WHERE seq >= (SELECT min(first_seq) FROM graph_merges WHERE published = 0);
    DELETE FROM graph_conflicts WHERE status = 'staged';
    DELETE FROM graph_merges WHERE published = 0;
  END;
  `),
};
