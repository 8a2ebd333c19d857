import { nodeFacets } from "../../../../domain/memory/views/card-facets.ts";
import { decodeVersion } from "../../memory/graph/graph-rows.ts";
import type { Database } from "../driver.ts";
import type { Migration } from "./migration.ts";

/**
 * Plans, tasks, steps and jobs are kept whole in `body`; what they are found by has a column of its own. Events are
 * numbered for each workspace, and stand in the trace of their task under the same id.
 */
export const thinking: Migration = {
  apply: (db) => {
    db.exec(`
  CREATE TABLE memory_focus (
    rid INTEGER PRIMARY KEY,
    wid INTEGER NOT NULL UNIQUE REFERENCES memory_workspaces (wid),
    target TEXT NOT NULL
  );
  CREATE TABLE memory_counters (
    rid INTEGER PRIMARY KEY,
    wid INTEGER NOT NULL REFERENCES memory_workspaces (wid),
    name TEXT NOT NULL,
    value INTEGER NOT NULL,
    UNIQUE (wid, name)
  );

  CREATE TABLE task_items (
    rid INTEGER PRIMARY KEY,
    wid INTEGER NOT NULL REFERENCES memory_workspaces (wid),
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    number INTEGER NOT NULL,
    parent TEXT,
    status TEXT NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (wid, id)
  );
  CREATE INDEX task_items_by_number ON task_items (wid, kind, number);
  CREATE INDEX task_items_by_parent ON task_items (wid, parent, number);

  CREATE TABLE task_steps (
    rid INTEGER PRIMARY KEY,
    wid INTEGER NOT NULL REFERENCES memory_workspaces (wid),
    task TEXT NOT NULL,
    step_id TEXT NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (wid, task, step_id)
  );
  CREATE UNIQUE INDEX task_steps_by_id ON task_steps (wid, step_id);

  CREATE TABLE task_events (
    rid INTEGER PRIMARY KEY,
    wid INTEGER NOT NULL REFERENCES memory_workspaces (wid),
    number INTEGER NOT NULL,
    target TEXT NOT NULL,
    seq INTEGER NOT NULL,
    ts_ms INTEGER NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (wid, number)
  );
  CREATE INDEX task_events_by_target ON task_events (wid, target, number);

  CREATE TABLE task_jobs (
    rid INTEGER PRIMARY KEY,
    wid INTEGER NOT NULL REFERENCES memory_workspaces (wid),
    id TEXT NOT NULL,
    number INTEGER NOT NULL,
    status TEXT NOT NULL,
    rank INTEGER NOT NULL,
    lease_expires_at_ms INTEGER,
    body TEXT NOT NULL,
    UNIQUE (wid, id)
  );
  CREATE INDEX task_jobs_by_rank ON task_jobs (wid, status, rank, number);
  CREATE INDEX task_jobs_by_number ON task_jobs (wid, number);

  CREATE TABLE task_job_events (
    seq INTEGER PRIMARY KEY,
    wid INTEGER NOT NULL REFERENCES memory_workspaces (wid),
    job TEXT NOT NULL,
    ts_ms INTEGER NOT NULL,
    body TEXT NOT NULL
  );
  CREATE INDEX task_job_events_by_job ON task_job_events (wid, job, seq);

  CREATE TABLE task_runners (
    rid INTEGER PRIMARY KEY,
    wid INTEGER NOT NULL REFERENCES memory_workspaces (wid),
    runner_id TEXT NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (wid, runner_id)
  );
  `);
    markCards(db);
  },
};

const rowsAtOnce = 500;

/** Cards that are there already get the marks by which views find them. */
function markCards(db: Database): void {
  const select = db.prepare(
    "SELECT * FROM graph_versions WHERE visible = 1 AND deleted = 0 AND kind = 'node' AND seq > ? ORDER BY seq LIMIT ?",
  );
  const insert = db.prepare("INSERT OR IGNORE INTO graph_facets (doc, bid, facet, seq) VALUES (?, ?, ?, ?)");
  for (let after = 0; ; ) {
    const rows = select.all(after, rowsAtOnce);
    for (const row of rows) {
      const { version } = decodeVersion(row);
      after = version.last_seq;
      if (version.kind === "edge") continue;
      for (const facet of new Set(nodeFacets(version)))
        insert.run(row["doc"] ?? 0, row["bid"] ?? 0, facet, version.last_seq);
    }
    if (rows.length < rowsAtOnce) return;
  }
}
