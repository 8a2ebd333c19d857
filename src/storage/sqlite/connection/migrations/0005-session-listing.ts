import type { Migration } from "./migration.ts";

/** Listings and their counts are answered from the index alone; the trash is not in it. */
export const sessionListing: Migration = {
  apply: (db) =>
    db.exec(`
  DROP INDEX sessions_by_update;
  CREATE INDEX sessions_by_update ON sessions (project, updated_at) WHERE deleted_at IS NULL;
  `),
};
