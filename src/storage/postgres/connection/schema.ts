import { genesisHash } from "../../../domain/ledger/chain/hash-chain.ts";
import { schemaName } from "./statements.ts";

/**
 * The same tables as in SQLite, for many tenants. `tenant` is the first column in every key and index, so the schema
 * can be sharded by it. Text is ordered by code point. There are no foreign keys: rules decide what may be written, and
 * each foreign key would lock the row it refers to. Words are the domain's stems with their positions, written together
 * with the text.
 */
const table = (name: string, columns: string, key: string): string =>
  `CREATE TABLE ${schemaName}.${name} (tenant text NOT NULL, ${columns}, PRIMARY KEY (tenant, ${key}));`.replace(
    /(\w+) text\b/g,
    '$1 text COLLATE "C"',
  );

const index = (name: string, on: string, columns: string, where = "", unique = ""): string =>
  `CREATE ${unique} INDEX ${name} ON ${schemaName}.${on} (tenant, ${columns}) ${where && `WHERE ${where}`};`;

const identity = "bigint GENERATED ALWAYS AS IDENTITY";

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

/** `part` numbers the parts of a text that is too long for one tsvector. */
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

/** Schema 1. Existing databases never run it again, so every change needs its own migration. */
export const firstSchema = [...ledger, ...search, ...memory, ...graph, ...tasks, ...notebooks].join("\n");

/** Must match the expression in the index `actions_by_file`. */
export const fileNameOfAction = "substring(path FROM '[^/]*$')";

/** Schema 2: what agents did, stored beside the thoughts. */
export const actionTables = [
  table(
    "actions",
    `aid ${identity}, key text NOT NULL, type text NOT NULL, call_id text NOT NULL, part bigint NOT NULL,
     tool text NOT NULL, at text NOT NULL, path text, moved_from text, change text, lines text, removed text,
     body text NOT NULL`,
    "aid",
  ),
  index("actions_by_key", "actions", "key", "", "UNIQUE"),
  index("actions_by_file", "actions", "(substring(path FROM '[^/]*$'))", "path IS NOT NULL"),
  index("actions_by_time", "actions", "at", "path IS NOT NULL"),
  table(
    "session_actions",
    `lid ${identity}, sid bigint NOT NULL, aid bigint NOT NULL, branch_id text NOT NULL, after_branch text,
     after_number bigint`,
    "lid",
  ),
  index("session_actions_once", "session_actions", "sid, aid", "", "UNIQUE"),
  index("session_actions_by_session", "session_actions", "sid, lid"),
  index("session_actions_by_action", "session_actions", "aid"),
].join("\n");

/** Schema 3: the keys that a large merge settles, staged with its versions until the merge is published and tidied. */
export const settledAhead = table(
  "graph_settled_ahead",
  "mid bigint, key text, wid bigint NOT NULL, bid bigint NOT NULL, doc bigint NOT NULL, seq bigint",
  "mid, key",
);

/** Schema 4: how far the transcripts on each machine have been read, and which process reads them. */
export const capturedTables = [
  table(
    "captured_files",
    `machine text, root text, path text, bytes bigint NOT NULL DEFAULT 0, modified_ms bigint NOT NULL DEFAULT 0,
     at text NOT NULL DEFAULT '', cwd text, session_id text, project text, problem text, holder text,
     held_until bigint NOT NULL DEFAULT 0`,
    "machine, root, path",
  ),
  index("captured_files_by_time", "captured_files", "machine, at"),
].join("\n");

/** Schema 5: superseded versions by key, who wrote them, and the project that a workspace belongs to. */
export const lookingBack = [
  index("graph_past", "graph_versions", "doc, key, seq", "superseded IS NOT NULL"),
  table(
    "graph_authors",
    `aid ${identity}, wid bigint NOT NULL, first_seq bigint NOT NULL, last_seq bigint NOT NULL, agent text NOT NULL`,
    "aid",
  ),
  index("graph_authors_by_seq", "graph_authors", "wid, first_seq"),
  `ALTER TABLE ${schemaName}.memory_workspaces ADD COLUMN project text COLLATE "C";`,
].join("\n");

/** Schema 6: each agent's own state in a workspace. */
export const agentTable = [
  table(
    "memory_agents",
    `rid ${identity}, wid bigint, key text, agent_id text, target text, bid bigint, seq bigint NOT NULL,
     at_ms bigint NOT NULL`,
    "wid, key",
  ),
  index("memory_agents_by_target", "memory_agents", "wid, target", "target IS NOT NULL"),
  index("memory_agents_by_branch", "memory_agents", "wid, bid", "bid IS NOT NULL"),
].join("\n");

/** Schema 7: the state of connections with the older protocol, and messages that reached the wrong server. */
export const connectionTable = [
  table(
    "legacy_connections",
    "id text, part text, name text, body text NOT NULL, at_ms bigint NOT NULL",
    "id, part, name",
  ),
  index("legacy_connections_by_time", "legacy_connections", "at_ms"),
].join("\n");

/** Schema 8: people's remarks on thoughts. */
export const remarkTable = [
  table(
    "remarks",
    `seq bigint, sid bigint NOT NULL, id text NOT NULL, kind text NOT NULL, branch_id text NOT NULL,
     number bigint NOT NULL, text text, withdraws text, at text NOT NULL`,
    "seq",
  ),
  index("remarks_by_id", "remarks", "id", "", "UNIQUE"),
  index("remarks_by_session", "remarks", "sid, seq"),
].join("\n");

/** Schema 9: indexes for the newest changes to a file, and for the calls that the user refused. */
export const refusedCalls = [
  `DROP INDEX ${schemaName}.actions_by_file;`,
  index("actions_by_file", "actions", "(substring(path FROM '[^/]*$')), at", "path IS NOT NULL"),
  index("actions_refused", "actions", "at", "type = 'refusal'"),
].join("\n");

/** The index `text_words_by_place` divides the numbers into stretches of these lengths, as powers of two. */
const stretchBits = [10, 12, 14, 16, 18, 20];

/**
 * The words in a text, plus the places of the text: its tenant, and the stretches that contain its number. No stem
 * contains a slash, so a place is never mistaken for a word. Must match the expression in the index.
 */
export const placedWords = `(w.words || array_to_tsvector(ARRAY['/' || w.tenant, ${stretchBits
  .map((bits) => `'${bits}:' || (w.seq >> ${bits})::text || '/' || w.tenant`)
  .join(", ")}]))`;

/**
 * Returns at most `most` places that cover the numbers from `first` to `last` and few others. `undefined` if more would
 * be needed.
 */
export function placesOf(first: number, last: number, most: number): string[] | undefined {
  for (const bits of stretchBits) {
    const [from, to] = [Math.floor(first / 2 ** bits), Math.floor(last / 2 ** bits)];
    if (to - from < most) return Array.from({ length: to - from + 1 }, (_, n) => `${bits}:${from + n}`);
  }
  return undefined;
}

/** Schema 10: words are found by tenant and stretch. */
export const placedTexts = [
  `DROP INDEX ${schemaName}.text_words_by_word;`,
  `CREATE INDEX text_words_by_place ON ${schemaName}.text_words USING gin (
    (words || array_to_tsvector(ARRAY['/' || tenant, '10:' || (seq >> 10)::text || '/' || tenant,
      '12:' || (seq >> 12)::text || '/' || tenant, '14:' || (seq >> 14)::text || '/' || tenant,
      '16:' || (seq >> 16)::text || '/' || tenant, '18:' || (seq >> 18)::text || '/' || tenant,
      '20:' || (seq >> 20)::text || '/' || tenant])));`,
].join("\n");

/**
 * Schema 11: the focus that an agent lost because another agent completed or cancelled it. Kept until the agent is
 * notified.
 */
export const clearedFocus = `ALTER TABLE ${schemaName}.memory_agents ADD COLUMN cleared text COLLATE "C";`;

/** Schema 12: a search reads the place and size of a thought with its words. Older thoughts are looked up. */
export const placesOfWords = `ALTER TABLE ${schemaName}.text_words ADD COLUMN position bigint, ADD COLUMN size bigint;`;

/** Schema 13: the agent's call that had no result when its transcript was last read, as JSON. */
export const runningCalls = `ALTER TABLE ${schemaName}.captured_files ADD COLUMN running text COLLATE "C";`;

/** Schema 14: the cells that calls still have to run, as JSON lists of their IDs. */
export const notebookQueues = [
  table(
    "notebook_queues",
    "qid bigint, nid bigint NOT NULL, cells text NOT NULL, expires_at bigint NOT NULL",
    "qid",
  ),
  index("notebook_queues_by_notebook", "notebook_queues", "nid"),
].join("\n");
