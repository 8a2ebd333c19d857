import type { Migration } from "./migration.ts";

/**
 * `seq` is one counter for everything that ever happens in the database; a feed or a projection follows the
 * store by it. Main-chain thoughts carry branch_id '' because SQLite holds NULLs to be distinct in UNIQUE.
 */
export const ledger: Migration = {
  apply: (db) =>
    db.exec(`
  CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  INSERT INTO counters VALUES ('seq', 0), ('indexed_seq', 0);

  CREATE TABLE sessions (
    sid INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    project TEXT NOT NULL,
    owner TEXT,
    title TEXT NOT NULL,
    description TEXT,
    tags TEXT NOT NULL,
    partition_path TEXT,
    status TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    last_accessed_at TEXT NOT NULL,
    completed_at TEXT,
    deleted_at TEXT,
    stage INTEGER NOT NULL,
    domain TEXT,
    bound_root TEXT,
    navigation TEXT NOT NULL,
    thought_count INTEGER NOT NULL DEFAULT 0,
    branch_count INTEGER NOT NULL DEFAULT 0,
    highest INTEGER NOT NULL DEFAULT 0,
    chain_length INTEGER NOT NULL DEFAULT 0,
    chain_head TEXT NOT NULL
  );
  CREATE INDEX sessions_by_update ON sessions (project, updated_at);

  CREATE TABLE session_tags (
    tag TEXT NOT NULL,
    sid INTEGER NOT NULL REFERENCES sessions (sid),
    PRIMARY KEY (tag, sid)
  ) WITHOUT ROWID;

  CREATE TABLE branches (
    sid INTEGER NOT NULL REFERENCES sessions (sid),
    branch_id TEXT NOT NULL,
    from_branch TEXT NOT NULL,
    from_number INTEGER NOT NULL,
    highest INTEGER NOT NULL,
    opened_seq INTEGER NOT NULL,
    PRIMARY KEY (sid, branch_id)
  ) WITHOUT ROWID;

  CREATE TABLE thoughts (
    seq INTEGER PRIMARY KEY,
    sid INTEGER NOT NULL REFERENCES sessions (sid),
    position INTEGER NOT NULL,
    branch_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    thought TEXT NOT NULL,
    total INTEGER NOT NULL,
    next_needed INTEGER NOT NULL,
    timestamp TEXT NOT NULL,
    revises_branch TEXT,
    revises_number INTEGER,
    from_branch TEXT,
    from_number INTEGER,
    needs_more INTEGER NOT NULL,
    agent_id TEXT,
    cipher TEXT,
    cipher_types TEXT,
    salt TEXT NOT NULL,
    prev_hash TEXT NOT NULL,
    hash TEXT NOT NULL
  );
  CREATE UNIQUE INDEX thoughts_by_number ON thoughts (sid, branch_id, number);
  CREATE INDEX thoughts_by_arrival ON thoughts (sid, position, branch_id);
  CREATE INDEX thoughts_by_revision ON thoughts (sid, revises_branch, revises_number) WHERE revises_number IS NOT NULL;

  CREATE TABLE session_changes (
    seq INTEGER PRIMARY KEY,
    sid INTEGER NOT NULL REFERENCES sessions (sid),
    kind TEXT NOT NULL,
    at TEXT NOT NULL
  );

  CREATE TABLE idempotency (
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    outcome TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (scope, key)
  ) WITHOUT ROWID;

  CREATE VIRTUAL TABLE thought_words USING fts5 (
    thought, content = 'thoughts', content_rowid = 'seq', tokenize = 'porter unicode61'
  );
  CREATE VIRTUAL TABLE session_words USING fts5 (
    title, description, tags, tokenize = 'porter unicode61'
  );
  `),
};
