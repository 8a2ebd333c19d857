import type { Migration } from "./migration.ts";

/** A run that a thought was recorded of is never pruned. Of those that were there before nobody knows, so all stay. */
export const evidenceRuns: Migration = {
  apply: (db) => db.exec("ALTER TABLE notebook_runs ADD COLUMN is_evidence INTEGER NOT NULL DEFAULT 1"),
};
