import type { Migration } from "./migration.ts";

/**
 * What agents did. A resumed session repeats earlier actions, so an action can be part of several sessions.
 * `session_actions` lists them. `lines` and `removed` are compressed and stored in base64.
 */
export const actions: Migration = {
  leaves: "a2807515dfc2667a496bc1b1733f27ad9ae3bac3026d9056187cb3aa817361e7",
  apply: (db) =>
    db.exec(`
      CREATE TABLE actions (
        aid INTEGER PRIMARY KEY,
        key TEXT NOT NULL UNIQUE,
        type TEXT NOT NULL,
        call_id TEXT NOT NULL,
        part INTEGER NOT NULL,
        tool TEXT NOT NULL,
        at TEXT NOT NULL,
        path TEXT,
        moved_from TEXT,
        change TEXT,
        lines TEXT,
        removed TEXT,
        body TEXT NOT NULL
      );
      CREATE TABLE session_actions (
        lid INTEGER PRIMARY KEY AUTOINCREMENT,
        sid INTEGER NOT NULL REFERENCES sessions (sid),
        aid INTEGER NOT NULL REFERENCES actions (aid),
        branch_id TEXT NOT NULL,
        after_branch TEXT,
        after_number INTEGER,
        UNIQUE (sid, aid)
      );
      CREATE INDEX session_actions_by_session ON session_actions (sid, lid);
      CREATE INDEX session_actions_by_action ON session_actions (aid);
    `),
};
