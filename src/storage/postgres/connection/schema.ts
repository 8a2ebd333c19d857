import { genesisHash } from "../../../domain/ledger/chain/hash-chain.ts";
import { schemaName } from "./statements.ts";

/**
 * Creates a table. The tables are the same as in SQLite, but for many tenants. `tenant` is the first column
 * in every key and index, so the schema can be sharded by it. Text is ordered by code point. There are no
 * foreign keys: rules decide what may be written, and each foreign key would lock the row it refers to. Words
 * are the domain's stems with their positions, written together with the text.
 */
export const table = (name: string, columns: string, key: string): string =>
  `CREATE TABLE ${schemaName}.${name} (tenant text NOT NULL, ${columns}, PRIMARY KEY (tenant, ${key}));`.replace(
    /(\w+) text\b/g,
    '$1 text COLLATE "C"',
  );

export const index = (name: string, on: string, columns: string, where = "", unique = ""): string =>
  `CREATE ${unique} INDEX ${name} ON ${schemaName}.${on} (tenant, ${columns}) ${where && `WHERE ${where}`};`;

export const identity = "bigint GENERATED ALWAYS AS IDENTITY";

const ledger = [
  `CREATE TABLE ${schemaName}.tenants (tenant text COLLATE "C" PRIMARY KEY, seq bigint NOT NULL, version bigint NOT NULL,
     merge_from bigint) WITH (fillfactor = 20);`,
  table(
    "sessions",
    `sid bigint, id text NOT NULL, project text NOT NULL, title text NOT NULL, description text, tags text NOT NULL,
     partition_path text, status text NOT NULL, created_at text NOT NULL, updated_at text NOT NULL,
     last_accessed_at text NOT NULL, completed_at text, deleted_at text, stage bigint NOT NULL, domain text,
     bound_root text, navigation text NOT NULL, thought_count bigint NOT NULL, branch_count bigint NOT NULL,
     highest bigint NOT NULL, chain_length bigint NOT NULL, chain_head text NOT NULL, amendment_count bigint NOT NULL,
     amendment_head text NOT NULL DEFAULT '${genesisHash}', words tsvector NOT NULL`,
    "sid",
  ),
  index("sessions_by_id", "sessions", "id", "", "UNIQUE"),
  index("sessions_by_update", "sessions", "project, updated_at, sid", "deleted_at IS NULL"),
  `CREATE INDEX sessions_by_words ON ${schemaName}.sessions USING gin (words);`,
  table("session_tags", "tag text, sid bigint", "tag, sid"),
  index("session_tags_by_session", "session_tags", "sid"),
  table(
    "branches",
    `sid bigint, branch_id text, from_branch text NOT NULL, from_number bigint NOT NULL, highest bigint NOT NULL,
     opened_seq bigint NOT NULL`,
    "sid, branch_id",
  ),
  table(
    "thoughts",
    `seq bigint, sid bigint NOT NULL, position bigint NOT NULL, branch_id text NOT NULL, number bigint NOT NULL,
     thought text NOT NULL, total bigint NOT NULL, next_needed bigint NOT NULL, timestamp text NOT NULL,
     revises_branch text, revises_number bigint, from_branch text, from_number bigint, needs_more bigint NOT NULL,
     agent_id text, cipher text, cipher_types text, salt text NOT NULL, prev_hash text NOT NULL, hash text NOT NULL,
     critique_requested bigint NOT NULL, cid bigint, tool_use text`,
    "seq",
  ),
  index("thoughts_by_number", "thoughts", "sid, branch_id, number", "", "UNIQUE"),
  index("thoughts_by_arrival", "thoughts", "sid, position"),
  index(
    "thoughts_by_revision",
    "thoughts",
    "sid, revises_branch, revises_number",
    "revises_number IS NOT NULL",
  ),
  table(
    "conversations",
    `cid ${identity}, principal text NOT NULL, project text NOT NULL, client text NOT NULL, conversation text NOT NULL,
     session_id text, at text NOT NULL`,
    "cid",
  ),
  index("conversations_by_key", "conversations", "principal, project, client, conversation", "", "UNIQUE"),
  table(
    "critiques",
    `seq bigint, sid bigint NOT NULL, position bigint NOT NULL, thought_seq bigint NOT NULL, text text NOT NULL,
     model text NOT NULL, timestamp text NOT NULL, salt text NOT NULL, prev_hash text NOT NULL, hash text NOT NULL`,
    "seq",
  ),
  index("critiques_by_position", "critiques", "sid, position", "", "UNIQUE"),
  index("critiques_by_thought", "critiques", "sid, thought_seq"),
  table("session_changes", "seq bigint, sid bigint NOT NULL, kind text NOT NULL, at text NOT NULL", "seq"),
  index("session_changes_by_session", "session_changes", "sid"),
  table(
    "idempotency",
    "scope text, key text, fingerprint text NOT NULL, outcome text NOT NULL, at text NOT NULL",
    "scope, key",
  ),
  table(
    "notes",
    `nid bigint, project text NOT NULL, kind text NOT NULL, id text NOT NULL, title text NOT NULL,
     description text NOT NULL, tags text NOT NULL, content text NOT NULL, sessions text NOT NULL, created_by text,
     created_at text NOT NULL, updated_at text NOT NULL, deleted_at text, words tsvector NOT NULL`,
    "nid",
  ),
  index("notes_by_id", "notes", "project, kind, id", "deleted_at IS NULL", "UNIQUE"),
  index("notes_by_any_id", "notes", "project, kind, id, nid"),
  table("keepsakes", "name text, value text NOT NULL", "name"),
];

/** A text that is too long for one tsvector has several rows, with increasing `part` numbers. */
const search = [
  table("text_words", "seq bigint, part bigint, sid bigint, words tsvector NOT NULL", "seq, part"),
  index("text_words_by_session", "text_words", "sid, seq"),
  index("text_words_in_parts", "text_words", "seq", "part > 0"),
  `CREATE INDEX text_words_by_word ON ${schemaName}.text_words USING gin (words);`,
  table("graph_words", "seq bigint, doc bigint NOT NULL, part bigint, words tsvector NOT NULL", "seq, part"),
  index("graph_words_by_doc", "graph_words", "doc, seq"),
  `CREATE INDEX graph_words_by_word ON ${schemaName}.graph_words USING gin (words);`,
];

const memory = [
  table(
    "memory_workspaces",
    "wid bigint, name text NOT NULL, checkout bigint, project_guard text, created_at_ms bigint NOT NULL",
    "wid",
  ),
  index("memory_workspaces_by_name", "memory_workspaces", "name", "", "UNIQUE"),
  table(
    "memory_branches",
    `bid bigint, wid bigint NOT NULL, uid text NOT NULL, name text NOT NULL, base bigint, base_seq bigint NOT NULL,
     depth bigint NOT NULL, created_at_ms bigint NOT NULL, deleted_at_ms bigint, erased bigint NOT NULL DEFAULT 0`,
    "bid",
  ),
  index("memory_branches_by_name", "memory_branches", "wid, name", "deleted_at_ms IS NULL", "UNIQUE"),
  index("memory_branches_by_base", "memory_branches", "base, base_seq"),
  table("memory_docs", "doc bigint, wid bigint NOT NULL, name text NOT NULL", "doc"),
  index("memory_docs_by_name", "memory_docs", "wid, name", "", "UNIQUE"),
  table("memory_streams", "bid bigint, doc bigint, form text, first_seq bigint NOT NULL", "bid, doc, form"),
  table(
    "memory_entries",
    `seq bigint, doc bigint NOT NULL, bid bigint NOT NULL, kind text NOT NULL, title text, format text, meta text,
     content text NOT NULL, agent_id text, ts_ms bigint NOT NULL, origin bigint NOT NULL, source_event_id text,
     appended_on text`,
    "seq",
  ),
  index("memory_entries_by_stream", "memory_entries", "doc, bid, seq"),
  index("memory_notes", "memory_entries", "bid, seq", "kind = 'note'"),
  index(
    "memory_entries_by_source",
    "memory_entries",
    "doc, bid, source_event_id",
    "source_event_id IS NOT NULL",
    "UNIQUE",
  ),
  index("memory_copies", "memory_entries", "origin", "origin <> seq"),
  table("memory_commits", "seq bigint, parent bigint", "seq"),
  table(
    "memory_ref_moves",
    `seq bigint, bid bigint NOT NULL, doc bigint NOT NULL, action text NOT NULL, previous bigint,
     current bigint NOT NULL, message text NOT NULL, ts_ms bigint NOT NULL`,
    "seq",
  ),
  index("memory_ref_moves_by_stream", "memory_ref_moves", "bid, doc, seq"),
  index("memory_ref_moves_by_branch", "memory_ref_moves", "bid, seq"),
  table(
    "memory_tags",
    "wid bigint, name text, seq bigint NOT NULL, ordinal bigint NOT NULL, created_at_ms bigint NOT NULL",
    "wid, name",
  ),
  table("memory_focus", `rid ${identity}, wid bigint, target text NOT NULL`, "wid"),
  table("memory_counters", `rid ${identity}, wid bigint, name text, value bigint NOT NULL`, "wid, name"),
  table("memory_anchors", `rid ${identity}, wid bigint, id text, body text NOT NULL`, "wid, id"),
  table(
    "workspace_changes",
    "seq bigint, wid bigint NOT NULL, type text NOT NULL, data text NOT NULL, ts_ms bigint NOT NULL",
    "seq",
  ),
];

const graph = [
  table(
    "graph_versions",
    `seq bigint, doc bigint NOT NULL, bid bigint NOT NULL, key text NOT NULL, kind text NOT NULL, deleted bigint NOT NULL,
     visible bigint NOT NULL, superseded bigint, replaces bigint, live_nodes bigint NOT NULL,
     inherited_nodes bigint NOT NULL, live_edges bigint NOT NULL, fingerprint text NOT NULL, type text NOT NULL,
     title text, text text, status text, tags text, meta text, source text, target text, ts_ms bigint NOT NULL`,
    "seq",
  ),
  index("graph_by_seq", "graph_versions", "doc, bid, seq", "visible = 1"),
  index(
    "graph_by_replaced",
    "graph_versions",
    "doc, bid, replaces, seq",
    "visible = 1 AND replaces IS NOT NULL",
  ),
  index(
    "graph_live_nodes",
    "graph_versions",
    "doc, bid, seq",
    "visible = 1 AND deleted = 0 AND kind = 'node'",
  ),
  index("graph_by_source", "graph_versions", "doc, source, target, seq", "visible = 1 AND kind = 'edge'"),
  index("graph_by_target", "graph_versions", "doc, target", "visible = 1 AND kind = 'edge'"),
  index("graph_by_key", "graph_versions", "doc, key, seq, bid", "visible = 1"),
  table("graph_facets", "doc bigint, bid bigint, facet text, seq bigint", "doc, bid, facet, seq"),
  table(
    "graph_conflicts",
    `cid ${identity}, wid bigint NOT NULL, id text NOT NULL, doc bigint NOT NULL, from_bid bigint NOT NULL,
     into_bid bigint NOT NULL, kind text NOT NULL, key text NOT NULL, status text NOT NULL, resolution text, base text,
     theirs text NOT NULL, ours text, created_at_ms bigint NOT NULL, resolved_at_ms bigint`,
    "cid",
  ),
  index("graph_conflicts_by_id", "graph_conflicts", "wid, id", "", "UNIQUE"),
  index("graph_conflicts_by_place", "graph_conflicts", "into_bid, doc, cid"),
  index("graph_conflicts_open", "graph_conflicts", "into_bid, doc, from_bid, key", "status = 'open'"),
  table(
    "graph_settled",
    `sid ${identity}, wid bigint NOT NULL, bid bigint, doc bigint, key text, seq bigint`,
    "bid, doc, key",
  ),
  table("graph_merged", "bid bigint, doc bigint, from_bid bigint, seq bigint NOT NULL", "bid, doc, from_bid"),
  table(
    "graph_known_differences",
    "bid bigint, doc bigint, seq bigint NOT NULL, keys text NOT NULL",
    "bid, doc",
  ),
  table(
    "graph_merges",
    `mid ${identity}, wid bigint NOT NULL, doc bigint NOT NULL, into_bid bigint NOT NULL, first_seq bigint NOT NULL,
     last_seq bigint NOT NULL, published bigint NOT NULL DEFAULT 0, touched_ms bigint NOT NULL`,
    "mid",
  ),
];

const tasks = [
  table(
    "task_items",
    `rid ${identity}, wid bigint, id text, kind text NOT NULL, number bigint NOT NULL, parent text, status text NOT NULL,
     body text NOT NULL`,
    "wid, id",
  ),
  index("task_items_by_number", "task_items", "wid, kind, number"),
  index("task_items_by_parent", "task_items", "wid, parent, number"),
  table(
    "task_steps",
    `rid ${identity}, wid bigint, task text, step_id text, body text NOT NULL`,
    "wid, task, step_id",
  ),
  index("task_steps_by_id", "task_steps", "wid, step_id", "", "UNIQUE"),
  table(
    "task_events",
    `rid ${identity}, wid bigint, number bigint, target text NOT NULL, seq bigint NOT NULL, ts_ms bigint NOT NULL,
     body text NOT NULL`,
    "wid, number",
  ),
  index("task_events_by_target", "task_events", "wid, target, number"),
  table(
    "task_jobs",
    `rid ${identity}, wid bigint, id text, number bigint NOT NULL, status text NOT NULL, rank bigint NOT NULL,
     lease_expires_at_ms bigint, body text NOT NULL`,
    "wid, id",
  ),
  index("task_jobs_by_rank", "task_jobs", "wid, status, rank, number"),
  index("task_jobs_by_number", "task_jobs", "wid, number"),
  table(
    "task_job_events",
    "seq bigint, wid bigint NOT NULL, job text NOT NULL, ts_ms bigint NOT NULL, body text NOT NULL",
    "seq",
  ),
  index("task_job_events_by_job", "task_job_events", "wid, job, seq"),
  table("task_runners", `rid ${identity}, wid bigint, runner_id text, body text NOT NULL`, "wid, runner_id"),
];

const notebooks = [
  table(
    "notebooks",
    `nid bigint, id text NOT NULL, project text NOT NULL, title text NOT NULL, language text NOT NULL, tsconfig text,
     net bigint NOT NULL, cells text NOT NULL, created_at bigint NOT NULL, updated_at bigint NOT NULL, deleted_at bigint`,
    "nid",
  ),
  index("notebooks_by_id", "notebooks", "id", "", "UNIQUE"),
  index("notebooks_by_update", "notebooks", "project, updated_at", "deleted_at IS NULL"),
  table(
    "notebook_cells",
    `nid bigint, cell_id text, version bigint, type text, filename text, text text, position bigint NOT NULL,
     at bigint NOT NULL`,
    "nid, cell_id, version",
  ),
  table(
    "notebook_runs",
    `rid bigint, nid bigint NOT NULL, cell_id text NOT NULL, version bigint NOT NULL, status text NOT NULL, result text,
     started_at bigint NOT NULL, expires_at bigint NOT NULL, ended_at bigint, is_evidence bigint NOT NULL DEFAULT 1`,
    "rid",
  ),
  index("notebook_runs_by_cell", "notebook_runs", "nid, cell_id, rid"),
];

/** Schema 1. Existing databases never run this statement again, so every change needs its own migration. */
export const firstSchema = [...ledger, ...search, ...memory, ...graph, ...tasks, ...notebooks].join("\n");
