/**
 * A notebook row contains the order of its cells as `[id, version]` pairs. Each version of a cell is a
 * separate row that never changes. A version without a type means that the cell was deleted. If a thought was
 * recorded about a run (`is_evidence`), the run is never pruned.
 */
export const notebookTables = `
  CREATE TABLE notebooks (
    nid INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    project TEXT NOT NULL,
    title TEXT NOT NULL,
    language TEXT NOT NULL,
    tsconfig TEXT,
    net INTEGER NOT NULL,
    cells TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER
  );
  CREATE INDEX notebooks_by_update ON notebooks (project, updated_at) WHERE deleted_at IS NULL;

  CREATE TABLE notebook_cells (
    nid INTEGER NOT NULL REFERENCES notebooks (nid),
    cell_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    type TEXT,
    filename TEXT,
    text TEXT,
    position INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (nid, cell_id, version)
  );

  CREATE TABLE notebook_runs (
    rid INTEGER PRIMARY KEY,
    nid INTEGER NOT NULL REFERENCES notebooks (nid),
    cell_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    status TEXT NOT NULL,
    result TEXT,
    started_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    ended_at INTEGER,
    is_evidence INTEGER NOT NULL DEFAULT 1
  );
  CREATE INDEX notebook_runs_by_cell ON notebook_runs (nid, cell_id, rid);
`;
