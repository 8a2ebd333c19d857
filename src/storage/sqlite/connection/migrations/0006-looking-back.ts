import type { Migration } from "./migration.ts";

/**
 * The `graph_past` index finds superseded versions by key. `graph_authors` records who wrote a range of
 * versions, if the caller gave a name. A workspace belongs to the project that first wrote to it.
 */
export const lookingBack: Migration = {
  leaves: "9a7be3d79c249e0c3a6d4ff37faffd301e22ca584d5a48a3fcb2d91a78909cfd",
  apply: (db) =>
    db.exec(`
      CREATE INDEX graph_past ON graph_versions (doc, key, seq) WHERE superseded IS NOT NULL;
      CREATE TABLE graph_authors (
        aid INTEGER PRIMARY KEY,
        wid INTEGER NOT NULL REFERENCES memory_workspaces (wid),
        first_seq INTEGER NOT NULL,
        last_seq INTEGER NOT NULL,
        agent TEXT NOT NULL
      );
      CREATE INDEX graph_authors_by_seq ON graph_authors (wid, first_seq);
      ALTER TABLE memory_workspaces ADD COLUMN project TEXT;
    `),
};
