import type { Migration } from "./migration.ts";

/** The tree of JSON files follows the store: how far it is, who writes it, and which sessions it owes. */
export const projection: Migration = {
  apply: (db) =>
    db.exec(`
  INSERT INTO counters VALUES ('projected_seq', 0), ('durable_seq', 0);
  CREATE TABLE leases (
    role TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    boot TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE tree_owed (session_id TEXT PRIMARY KEY, reason TEXT NOT NULL) WITHOUT ROWID;
  `),
};
