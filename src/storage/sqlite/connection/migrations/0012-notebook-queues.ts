import type { Migration } from "./migration.ts";

/** `cells` are the IDs of the cells that one call still has to run, as a JSON list. */
export const notebookQueues: Migration = {
  leaves: "9a4c67e619bf8f78d107f37d1488405b8cfbabab00c23066afa7ad63ac1a8901",
  apply: (db) =>
    db.exec(`
      CREATE TABLE notebook_queues (
        qid INTEGER PRIMARY KEY,
        nid INTEGER NOT NULL REFERENCES notebooks (nid),
        cells TEXT NOT NULL,
        expires_at INTEGER NOT NULL
      );
      CREATE INDEX notebook_queues_by_notebook ON notebook_queues (nid);
    `),
};
