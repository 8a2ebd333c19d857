import { fileNameOfAction } from "../../ledger/actions.ts";
import type { Migration } from "./migration.ts";

/** `why` asks for the changes of a file, whatever folder its checkout was in, and for those of a commit's time. */
export const changesByFile: Migration = {
  leaves: "5c2cd351b57b0db3c5a18724567a86f7631db61c3e1d305df2300270870eaeca",
  apply: (db) =>
    db.exec(`
      CREATE INDEX actions_by_file ON actions (${fileNameOfAction}) WHERE path IS NOT NULL;
      CREATE INDEX actions_by_time ON actions (at) WHERE path IS NOT NULL;
    `),
};
