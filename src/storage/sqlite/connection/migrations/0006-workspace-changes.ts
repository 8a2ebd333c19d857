import type { Migration } from "./migration.ts";

/** What happened to the memory, for those who follow the store. What was written before is not told again. */
export const workspaceChanges: Migration = {
  apply: (db) =>
    db.exec(`
  CREATE TABLE workspace_changes (
    seq INTEGER PRIMARY KEY,
    wid INTEGER NOT NULL REFERENCES memory_workspaces (wid),
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    ts_ms INTEGER NOT NULL
  );
  `),
};
