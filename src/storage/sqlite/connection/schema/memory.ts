const refuse = "SELECT RAISE(ABORT, 'this store needs a newer version of Thoughtbox');";

/**
 * Workspaces, branches, documents and their contents. Rows refer to them by number, so a rename changes one row.
 *
 * Deleting a branch hides it. `erased` branches come from dumps of older stores, which did not keep the contents of
 * deleted branches. `appended_on` is the name of the entry's branch when the entry was appended. The feed reports it.
 * The triggers refuse a write that would assign a number that a thought or an entry already has.
 */
export const memoryTables = `
  CREATE TABLE memory_workspaces (
    wid INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    checkout INTEGER,
    project_guard TEXT,
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
    deleted_at_ms INTEGER,
    erased INTEGER NOT NULL DEFAULT 0
  );
  CREATE UNIQUE INDEX memory_branches_by_name ON memory_branches (wid, name) WHERE deleted_at_ms IS NULL;
  CREATE INDEX memory_branches_by_base ON memory_branches (base, base_seq);

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
    source_event_id TEXT,
    appended_on TEXT
  );
  CREATE INDEX memory_entries_by_stream ON memory_entries (doc, bid, seq);
  CREATE UNIQUE INDEX memory_entries_by_source ON memory_entries (doc, bid, source_event_id)
    WHERE source_event_id IS NOT NULL;
  CREATE INDEX memory_copies ON memory_entries (origin) WHERE origin <> seq;

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

  CREATE TABLE memory_focus (
    rid INTEGER PRIMARY KEY,
    wid INTEGER NOT NULL UNIQUE REFERENCES memory_workspaces (wid),
    target TEXT NOT NULL
  );
  CREATE TABLE memory_counters (
    rid INTEGER PRIMARY KEY,
    wid INTEGER NOT NULL REFERENCES memory_workspaces (wid),
    name TEXT NOT NULL,
    value INTEGER NOT NULL,
    UNIQUE (wid, name)
  );

  CREATE TABLE memory_anchors (
    rid INTEGER PRIMARY KEY,
    wid INTEGER NOT NULL REFERENCES memory_workspaces (wid),
    id TEXT NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (wid, id)
  );

  CREATE TABLE workspace_changes (
    seq INTEGER PRIMARY KEY,
    wid INTEGER NOT NULL REFERENCES memory_workspaces (wid),
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    ts_ms INTEGER NOT NULL
  );

  CREATE TRIGGER numbers_of_thoughts_are_taken BEFORE UPDATE OF value ON counters
  WHEN NEW.name = 'seq' AND NEW.value <= (SELECT max(seq) FROM thoughts) BEGIN ${refuse} END;
  CREATE TRIGGER numbers_of_entries_are_taken BEFORE UPDATE OF value ON counters
  WHEN NEW.name = 'seq' AND NEW.value <= (SELECT max(seq) FROM memory_entries) BEGIN ${refuse} END;
  CREATE TRIGGER thoughts_come_after_entries BEFORE INSERT ON thoughts
  WHEN NEW.seq <= (SELECT max(seq) FROM memory_entries) BEGIN ${refuse} END;
`;
