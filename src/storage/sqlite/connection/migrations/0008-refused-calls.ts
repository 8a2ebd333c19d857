import { fileNameOfAction } from "../../ledger/actions.ts";
import type { Migration } from "./migration.ts";

/** `before_action` asks for the newest changes of a file, and for the calls that the user refused. */
export const refusedCalls: Migration = {
  leaves: "6158a4dee4bbe57591176507b9ec2d8ba7b1be4198c842afb022a9f22660348e",
  apply: (db) =>
    db.exec(`
      DROP INDEX actions_by_file;
      CREATE INDEX actions_by_file ON actions (${fileNameOfAction}, at) WHERE path IS NOT NULL;
      CREATE INDEX actions_refused ON actions (at) WHERE type = 'refusal';
    `),
};
