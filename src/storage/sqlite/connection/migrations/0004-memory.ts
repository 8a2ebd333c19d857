import type { Migration } from "./migration.ts";

/**
 * The reasoning memory. Branches, documents and workspaces are numbers inside, so that a rename changes one row.
 *
 * A graph keeps every version of a key. `superseded` is the seq of the next version on the same branch. `visible` is 1
 * while somebody can still see a version as the current one: its own branch (nothing supersedes it) or a branch that
 * was made before it was superseded. Reads go by indexes over visible versions only, and so never pay for history.
 * `replaces` is the visible version that the branch showed before. The three counts are those of the branch's view once
 * the version was there: live nodes, those of them that it inherited, and live edges.
 */
export const memory: Migration = {
  apply: (db) =>
    db.exec(`
  INSERT INTO counters VALUES ('graph_indexed_seq', 0);

  CREATE TABLE memory_workspaces (
    wid INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    checkout INTEGER,
    project_guard TEXT,
    last_entry INTEGER,
    created_at_ms INTEGER NOT NULL
  );

  CREATE TABLE memory_branches (
    bid INTEGER PRIMARY KEY,
    wid INTEGER NOT NULL REFERENCES memory_workspaces (wid),
    uid TEXT NOT NULL,
    name TEXT NOT NULL,
    base INTEGER REFERENCES memory_branches (bid),
    base_seq INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL,
    deleted_at_ms INTEGER
  );
  CREATE UNIQUE INDEX memory_branches_by_name ON memory_branches (wid, name) WHERE deleted_at_ms IS NULL;
  CREATE INDEX memory_branches_by_base ON memory_branches (base, base_seq) WHERE deleted_at_ms IS NULL;

  CREATE TABLE memory_docs (
    doc INTEGER PRIMARY KEY,
    wid INTEGER NOT NULL REFERENCES memory_workspaces (wid),
    name TEXT NOT NULL,
    UNIQUE (wid, name)
  );
  CREATE TABLE memory_streams (
    bid INTEGER NOT NULL REFERENCES memory_branches (bid),
    doc INTEGER NOT NULL REFERENCES memory_docs (doc),
    form TEXT NOT NULL,
    first_seq INTEGER NOT NULL,
    PRIMARY KEY (bid, doc, form)
  ) WITHOUT ROWID;

  CREATE TABLE memory_entries (
    seq INTEGER PRIMARY KEY,
    doc INTEGER NOT NULL REFERENCES memory_docs (doc),
    bid INTEGER NOT NULL REFERENCES memory_branches (bid),
    kind TEXT NOT NULL,
    title TEXT,
    format TEXT,
    meta TEXT,
    content TEXT NOT NULL,
    agent_id TEXT,
    ts_ms INTEGER NOT NULL,
    origin INTEGER NOT NULL,
    source_event_id TEXT
  );
  CREATE INDEX memory_entries_by_stream ON memory_entries (doc, bid, seq);
  CREATE INDEX memory_entries_by_origin ON memory_entries (origin);
  CREATE UNIQUE INDEX memory_entries_by_source ON memory_entries (doc, bid, source_event_id)
    WHERE source_event_id IS NOT NULL;

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
  CREATE INDEX graph_by_key ON graph_versions (doc, key, seq, bid, deleted) WHERE visible = 1;
  CREATE INDEX graph_by_seq ON graph_versions (doc, bid, seq) WHERE visible = 1;
  CREATE INDEX graph_by_replaced ON graph_versions (doc, bid, replaces, seq) WHERE visible = 1 AND replaces IS NOT NULL;
  CREATE INDEX graph_live_nodes ON graph_versions (doc, bid, seq, key) WHERE visible = 1 AND deleted = 0 AND kind = 'node';
  CREATE INDEX graph_by_source ON graph_versions (doc, source, target) WHERE visible = 1 AND kind = 'edge';
  CREATE INDEX graph_by_target ON graph_versions (doc, target) WHERE visible = 1 AND kind = 'edge';
  CREATE TABLE graph_facets (
    doc INTEGER NOT NULL,
    bid INTEGER NOT NULL,
    facet TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (doc, bid, facet, seq)
  ) WITHOUT ROWID;
  CREATE VIRTUAL TABLE graph_words USING fts5 (place, title, text, content = '', tokenize = 'porter unicode61');
  -- Versions that nobody sees any more and whose words are still there.
  CREATE TABLE graph_stale_words (seq INTEGER PRIMARY KEY);

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

  CREATE TABLE memory_commits (
    seq INTEGER PRIMARY KEY REFERENCES memory_entries (seq),
    parent INTEGER
  );
  CREATE TABLE memory_ref_moves (
    seq INTEGER PRIMARY KEY,
    bid INTEGER NOT NULL REFERENCES memory_branches (bid),
    doc INTEGER NOT NULL REFERENCES memory_docs (doc),
    action TEXT NOT NULL,
    previous INTEGER,
    current INTEGER NOT NULL,
    message TEXT NOT NULL,
    ts_ms INTEGER NOT NULL
  );
  CREATE INDEX memory_ref_moves_by_stream ON memory_ref_moves (bid, doc, seq);
  CREATE INDEX memory_ref_moves_by_branch ON memory_ref_moves (bid, seq);
  CREATE TABLE memory_tags (
    wid INTEGER NOT NULL REFERENCES memory_workspaces (wid),
    name TEXT NOT NULL,
    seq INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL,
    PRIMARY KEY (wid, name)
  ) WITHOUT ROWID;
  CREATE INDEX memory_tags_by_age ON memory_tags (wid, ordinal);
  `),
};
