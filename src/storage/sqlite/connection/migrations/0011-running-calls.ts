import type { Migration } from "./migration.ts";

/** `running` is the agent's call that had no result when its transcript was last read, as JSON. */
export const runningCalls: Migration = {
  leaves: "c4d987b9e2ceba7ecb59efe6ab6aeacb96fb87b4be10b5f7fc2d79bf84c42450",
  apply: (db) => db.exec("ALTER TABLE captured_files ADD COLUMN running TEXT"),
};
