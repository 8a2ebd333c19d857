import type { Migration } from "./migration.ts";

/** Which conversation of which client works in which session, and which one a thought came from. */
export const conversations: Migration = {
  apply: (db) =>
    db.exec(`
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
  ALTER TABLE thoughts ADD COLUMN cid INTEGER;
  ALTER TABLE thoughts ADD COLUMN tool_use TEXT;
  `),
};
