import { genesisHash } from "../../../domain/ledger/hash-chain.ts";
import { ThoughtboxError } from "../../../kernel/errors.ts";
import { memoryTables } from "../memory/tables.ts";
import type { Database } from "./driver.ts";

/**
 * Numbered from 1, each run once and in its own transaction. Never edit one that was released: add another.
 *
 * `seq` is one counter for everything that ever happens in the database; a feed or a projection follows the
 * store by it. Main-chain thoughts carry branch_id '' because SQLite holds NULLs to be distinct in UNIQUE.
 */
const migrations: readonly string[] = [
  `
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
  `,
  // The tree of JSON files follows the store: how far it is, who writes it, and which sessions it owes.
  `
  INSERT INTO counters VALUES ('projected_seq', 0), ('durable_seq', 0);
  CREATE TABLE leases (
    role TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    boot TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE tree_owed (session_id TEXT PRIMARY KEY, reason TEXT NOT NULL) WITHOUT ROWID;
  `,
  // Knowledge, and critiques: each a later entry with a hash chain of its own, so that no thought ever changes.
  `
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
  CREATE VIRTUAL TABLE note_words USING fts5 (title, description, content, tags, tokenize = 'porter unicode61');

  ALTER TABLE thoughts ADD COLUMN critique_requested INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN amendment_count INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN amendment_head TEXT NOT NULL DEFAULT '${genesisHash}';
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
  `,
  memoryTables,
  // Listings and their counts are answered from the index alone; the trash is not in it.
  `
  DROP INDEX sessions_by_update;
  CREATE INDEX sessions_by_update ON sessions (project, updated_at) WHERE deleted_at IS NULL;
  `,
];

/** The format that this program writes. */
export const newestSchema = migrations.length;

function schemaVersion(db: Database): number {
  return Number(db.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
}

/**
 * Two processes may start at once: the version is read again under the write lock. `onNewStore` is called under it too,
 * by the one process that makes the store and before anybody can have used it.
 */
export function migrate(db: Database, onNewStore: () => void): void {
  while (schemaVersion(db) < newestSchema) {
    db.exec("BEGIN IMMEDIATE");
    try {
      const version = schemaVersion(db);
      const step = migrations[version];
      if (version === 0) onNewStore();
      if (step !== undefined) {
        db.exec(step);
        db.exec(`PRAGMA user_version = ${version + 1}`);
      }
      db.exec("COMMIT");
    } catch (thrown) {
      try {
        db.exec("ROLLBACK");
      } catch {
        // SQLite has rolled back by itself, after a full disk for example; that is what must be told.
      }
      throw thrown;
    }
  }
}

/** Call before anything that could change the file. */
export function refuseNewer(db: Database): void {
  const version = schemaVersion(db);
  if (version <= newestSchema) return;
  throw new ThoughtboxError(
    "STORAGE_ERROR",
    `This store was written by a newer Thoughtbox (format ${version}, this one knows ${newestSchema}). It was left untouched.`,
    { recovery: { hint: "Update thoughtbox, or point THOUGHTBOX_DATA_DIR to another directory." } },
  );
}

/** Where nothing can be written, an older store cannot be brought up to date, and must not be guessed at. */
export function refuseOlder(db: Database): void {
  const version = schemaVersion(db);
  if (version >= newestSchema) return;
  throw new ThoughtboxError(
    "STORAGE_ERROR",
    `This store was written by an older Thoughtbox (format ${version}) and cannot be brought up to format ${newestSchema} while it cannot be written.`,
    {
      recovery: {
        hint: "Make the data directory writable, or free some space, then send the same call again.",
      },
    },
  );
}
