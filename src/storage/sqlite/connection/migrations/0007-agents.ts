import type { Migration } from "./migration.ts";

/**
 * Each agent's own state in a workspace: its focus, its checkout and its last write. `key` is the name that the agent
 * gives itself, or a digest of its conversation or connection. `agent_id` is the agent that set the focus and checkout.
 */
export const agents: Migration = {
  leaves: "69e793eebad35707770ddee1334664d894fb191eb3234af647b9471e149388f2",
  apply: (db) =>
    db.exec(`
      CREATE TABLE memory_agents (
        rid INTEGER PRIMARY KEY,
        wid INTEGER NOT NULL REFERENCES memory_workspaces (wid),
        key TEXT NOT NULL,
        agent_id TEXT,
        target TEXT,
        bid INTEGER REFERENCES memory_branches (bid),
        seq INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        UNIQUE (wid, key)
      );
      CREATE INDEX memory_agents_by_target ON memory_agents (wid, target) WHERE target IS NOT NULL;
      CREATE INDEX memory_agents_by_branch ON memory_agents (wid, bid) WHERE bid IS NOT NULL;
    `),
};
