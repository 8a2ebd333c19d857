import type { Migration } from "./migration.ts";

/** What is known of anchors. Which cards belong to them follows from the cards' tags, and is stored nowhere else. */
export const anchors: Migration = {
  apply: (db) =>
    db.exec(`
  CREATE TABLE memory_anchors (
    rid INTEGER PRIMARY KEY,
    wid INTEGER NOT NULL REFERENCES memory_workspaces (wid),
    id TEXT NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (wid, id)
  );
  `),
};
