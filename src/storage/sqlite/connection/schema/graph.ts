/**
 * A graph keeps every version of each key. `superseded` is the seq of the next version on the same branch.
 * `visible` is 1 while a reader can still see a version as the current one: on its own branch (nothing
 * supersedes it) or on a branch that was created before it was superseded. Reads use only indexes over
 * visible versions, so old versions do not slow them down. `replaces` is the version that was visible on the
 * branch before this one. The three counts describe the branch's view after this version was written: live
 * nodes, how many of them are inherited, and live edges.
 *
 * `graph_settled` contains the versions on which a branch and its base last agreed, whichever was merged into
 * the other. For each key, it contains the version that the source had then, or `NULL` if it had none.
 *
 * Two tables exist only to save work. For each merged document and pair of branches, `graph_merged` contains
 * the number up to which the source is settled with its target. `graph_known_differences` records that at
 * number `seq`, a branch and its base had the same graph in `doc`, except for these keys (a JSON list).
 *
 * A large merge writes its versions with numbers above the counter, which readers ignore. Moving the counter
 * publishes all of them at once. A row in `graph_merges` reserves the numbers while versions are staged, and
 * is kept until the versions they replaced are removed from the indexes. If another writer needs those
 * numbers first, it takes them, and the merge gives way and starts again.
 */
export const graphTables = `
  CREATE TABLE graph_versions (
    seq INTEGER PRIMARY KEY,
    doc INTEGER NOT NULL REFERENCES memory_docs (doc),
    bid INTEGER NOT NULL REFERENCES memory_branches (bid),
    key TEXT NOT NULL,
    kind TEXT NOT NULL,
    deleted INTEGER NOT NULL,
    visible INTEGER NOT NULL,
    superseded INTEGER,
    replaces INTEGER,
    live_nodes INTEGER NOT NULL,
    inherited_nodes INTEGER NOT NULL,
    live_edges INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,
    type TEXT NOT NULL,
    title TEXT,
    text TEXT,
    status TEXT,
    tags TEXT,
    meta TEXT,
    source TEXT,
    target TEXT,
    ts_ms INTEGER NOT NULL
  );
  CREATE INDEX graph_by_seq ON graph_versions (doc, bid, seq) WHERE visible = 1;
  CREATE INDEX graph_by_replaced ON graph_versions (doc, bid, replaces, seq) WHERE visible = 1 AND replaces IS NOT NULL;
  CREATE INDEX graph_live_nodes ON graph_versions (doc, bid, seq, key) WHERE visible = 1 AND deleted = 0 AND kind = 'node';
  CREATE INDEX graph_by_source ON graph_versions (doc, source, target) WHERE visible = 1 AND kind = 'edge';
  CREATE INDEX graph_by_target ON graph_versions (doc, target) WHERE visible = 1 AND kind = 'edge';
  CREATE INDEX graph_by_key ON graph_versions (doc, key, seq, bid, deleted, fingerprint) WHERE visible = 1;
  CREATE TABLE graph_facets (
    doc INTEGER NOT NULL,
    bid INTEGER NOT NULL,
    facet TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (doc, bid, facet, seq)
  ) WITHOUT ROWID;

  CREATE TABLE graph_conflicts (
    cid INTEGER PRIMARY KEY,
    wid INTEGER NOT NULL REFERENCES memory_workspaces (wid),
    id TEXT NOT NULL,
    doc INTEGER NOT NULL REFERENCES memory_docs (doc),
    from_bid INTEGER NOT NULL REFERENCES memory_branches (bid),
    into_bid INTEGER NOT NULL REFERENCES memory_branches (bid),
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    status TEXT NOT NULL,
    resolution TEXT,
    base TEXT,
    theirs TEXT NOT NULL,
    ours TEXT,
    created_at_ms INTEGER NOT NULL,
    resolved_at_ms INTEGER,
    UNIQUE (wid, id)
  );
  CREATE INDEX graph_conflicts_by_place ON graph_conflicts (into_bid, doc, cid);
  CREATE INDEX graph_conflicts_open ON graph_conflicts (into_bid, doc, from_bid, key) WHERE status = 'open';

  CREATE TABLE graph_settled (
    sid INTEGER PRIMARY KEY,
    wid INTEGER NOT NULL REFERENCES memory_workspaces (wid),
    bid INTEGER NOT NULL REFERENCES memory_branches (bid),
    doc INTEGER NOT NULL REFERENCES memory_docs (doc),
    key TEXT NOT NULL,
    seq INTEGER,
    UNIQUE (bid, doc, key)
  );

  CREATE TABLE graph_merged (
    bid INTEGER NOT NULL REFERENCES memory_branches (bid) ON DELETE CASCADE,
    doc INTEGER NOT NULL REFERENCES memory_docs (doc) ON DELETE CASCADE,
    from_bid INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (bid, doc, from_bid)
  ) WITHOUT ROWID;

  CREATE TABLE graph_known_differences (
    bid INTEGER NOT NULL REFERENCES memory_branches (bid) ON DELETE CASCADE,
    doc INTEGER NOT NULL REFERENCES memory_docs (doc) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    keys TEXT NOT NULL,
    PRIMARY KEY (bid, doc)
  ) WITHOUT ROWID;

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
`;
