import { genesisHash } from "../../../../domain/ledger/chain/hash-chain.ts";
import type { Migration } from "./migration.ts";

/** Critiques are later entries with a hash chain of their own, so that no thought ever changes. */
export const knowledgeAndCritiques: Migration = {
  apply: (db) =>
    db.exec(`
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
  `),
};
