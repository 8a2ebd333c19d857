import { fileNameOfAction } from "../../ledger/actions.ts";
import type { Migration } from "./migration.ts";

/**
 * Indexes for `why`, which queries changes to a file in any checkout folder, and changes around a commit's time.
 */
export const changesByFile: Migration = {
  leaves: "5c2cd351b57b0db3c5a18724567a86f7631db61c3e1d305df2300270870eaeca",
  apply: (db) =>
    db.exec(`
      CREATE INDEX actions_by_file ON actions (${fileNameOfAction}) WHERE path IS NOT NULL;
      CREATE INDEX actions_by_time ON actions (at) WHERE path IS NOT NULL;
    `),
};
