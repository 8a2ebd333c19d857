/**
 * Each `body` contains a complete plan, task, step or job. Fields that are searched have their own columns.
 * Events are numbered per workspace and appear in their task's trace under the same ID.
 */
export const taskTables = `
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
`;
