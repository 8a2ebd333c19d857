import type { Migration } from "./migration.ts";

/**
 * `cleared` is the plan or task that was the agent's focus until another agent completed or cancelled it. The
 * column is reset once the agent has been notified.
 */
export const clearedFocus: Migration = {
  leaves: "fc5c43d584c09ffebd224b77b7997103c8fb1c03a005c24ea3345c81ef90e455",
  apply: (db) => db.exec("ALTER TABLE memory_agents ADD COLUMN cleared TEXT"),
};
