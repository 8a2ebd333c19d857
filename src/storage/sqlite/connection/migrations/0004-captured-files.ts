import type { Migration } from "./migration.ts";

/** How far the transcripts on this machine have been read, and which process reads them. */
export const capturedFiles: Migration = {
  leaves: "16c4513786feb3662b00a0a50b2c16400f36f967422ef38144bbf1aa1d5e4db9",
  apply: (db) =>
    db.exec(`
      CREATE TABLE captured_files (
        root TEXT NOT NULL,
        path TEXT NOT NULL,
        bytes INTEGER NOT NULL DEFAULT 0,
        modified_ms INTEGER NOT NULL DEFAULT 0,
        at TEXT NOT NULL DEFAULT '',
        cwd TEXT,
        session_id TEXT,
        project TEXT,
        problem TEXT,
        holder TEXT,
        held_until INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (root, path)
      ) WITHOUT ROWID;
      CREATE INDEX captured_files_by_time ON captured_files (at);
    `),
};
