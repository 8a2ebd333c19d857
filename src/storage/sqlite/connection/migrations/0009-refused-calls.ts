import { fileNameOfAction } from "../../ledger/actions.ts";
import type { Migration } from "./migration.ts";

/** Indexes for `before_action`, which queries a file's newest changes and the calls that the user refused. */
export const refusedCalls: Migration = {
  leaves: "6804ca67c91ea9b4c535c856609bee4de832f480655467695eb0cbf4f363d94e",
  apply: (db) =>
    db.exec(`
      DROP INDEX actions_by_file;
      CREATE INDEX actions_by_file ON actions (${fileNameOfAction}, at) WHERE path IS NOT NULL;
      CREATE INDEX actions_refused ON actions (at) WHERE type = 'refusal';
    `),
};
