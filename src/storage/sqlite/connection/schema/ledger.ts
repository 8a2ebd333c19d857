import { genesisHash } from "../../../../domain/ledger/chain/hash-chain.ts";

/**
 * `seq` is one counter for everything that happens in the database. Feeds and projections follow the store by
 * this number. Thoughts and memory entries contain their own numbers, so `counters` contains only the last
 * number of anything else.
 *
 * Main-chain thoughts have branch_id '' because SQLite treats NULLs as distinct in UNIQUE. Lists are ordered by
 * `updated_slot`, which covers ten minutes, and sorted within a slot when they are read. This way, a thought rarely
 * moves its session in the index. Critiques are later entries with their own hash chain, so no thought ever changes.
 * `cid` and `tool_use` record which conversation with which client a thought came from. These columns are not part of
 * the thought's hash and never leave the store. `leases` and `tree_owed` record how far the tree of JSON files has been
 * written, which process writes it, and which sessions it lacks.
 */
export const ledgerTables = `
  CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  INSERT INTO counters VALUES
    ('seq', 0), ('indexed_seq', 0), ('graph_indexed_seq', 0), ('projected_seq', 0), ('durable_seq', 0);

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
    chain_head TEXT NOT NULL,
    amendment_count INTEGER NOT NULL DEFAULT 0,
    amendment_head TEXT NOT NULL DEFAULT '${genesisHash}',
    updated_slot TEXT NOT NULL DEFAULT '',
    counted INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX sessions_by_project ON sessions (project) WHERE deleted_at IS NULL;
  CREATE INDEX sessions_by_update ON sessions (project, updated_slot) WHERE deleted_at IS NULL;
  CREATE TRIGGER session_placed AFTER INSERT ON sessions BEGIN
    UPDATE sessions SET updated_slot = ${slotOf("NEW.updated_at")} WHERE sid = NEW.sid;
  END;
  CREATE TRIGGER session_moved AFTER UPDATE OF updated_at ON sessions
  WHEN NEW.updated_slot <> ${slotOf("NEW.updated_at")} BEGIN
    UPDATE sessions SET updated_slot = ${slotOf("NEW.updated_at")} WHERE sid = NEW.sid;
  END;

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
    hash TEXT NOT NULL,
    critique_requested INTEGER NOT NULL DEFAULT 0,
    cid INTEGER,
    tool_use TEXT
  );
  CREATE UNIQUE INDEX thoughts_by_number ON thoughts (sid, branch_id, number);
  CREATE INDEX thoughts_by_arrival ON thoughts (sid, position, branch_id);
  CREATE INDEX thoughts_by_revision ON thoughts (sid, revises_branch, revises_number) WHERE revises_number IS NOT NULL;

  CREATE TABLE conversations (
    cid INTEGER PRIMARY KEY,
    principal TEXT NOT NULL,
    project TEXT NOT NULL,
    client TEXT NOT NULL,
    conversation TEXT NOT NULL,
    session_id TEXT,
    at TEXT NOT NULL,
    UNIQUE (principal, project, client, conversation)
  );

  CREATE TABLE critiques (
    seq INTEGER PRIMARY KEY,
    sid INTEGER NOT NULL REFERENCES sessions (sid),
    position INTEGER NOT NULL,
    thought_seq INTEGER NOT NULL REFERENCES thoughts (seq),
    text TEXT NOT NULL,
    model TEXT NOT NULL,
    timestamp TEXT NOT NULL,
    salt TEXT NOT NULL,
    prev_hash TEXT NOT NULL,
    hash TEXT NOT NULL
  );
  CREATE UNIQUE INDEX critiques_by_position ON critiques (sid, position);
  CREATE INDEX critiques_by_thought ON critiques (thought_seq);

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

  CREATE TABLE notes (
    nid INTEGER PRIMARY KEY,
    project TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    tags TEXT NOT NULL,
    content TEXT NOT NULL,
    sessions TEXT NOT NULL,
    created_by TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    deleted_at TEXT
  );
  CREATE UNIQUE INDEX notes_by_id ON notes (project, kind, id) WHERE deleted_at IS NULL;

  CREATE TABLE leases (
    role TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    boot TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE tree_owed (session_id TEXT PRIMARY KEY, reason TEXT NOT NULL) WITHOUT ROWID;
`;

/** Returns SQL for the first characters of an ISO time, up to the tens digit of the minutes. */
function slotOf(column: string): string {
  return `substr(${column}, 1, 15)`;
}
