import { identity, index, table } from "./schema.ts";
import { schemaName } from "./statements.ts";

/** Extracts the file name of an action. Must match the expression in the `actions_by_file` index. */
export const fileNameOfAction = "substring(path FROM '[^/]*$')";

/** Schema 2: what agents did, stored in addition to the thoughts. */
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

/** Schema 5: an index of superseded versions by key, their writers, and the project of each workspace. */
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

/** The `text_words_by_place` index divides numbers into stretches. Their lengths are these powers of two. */
const stretchBits = [10, 12, 14, 16, 18, 20];

/**
 * Combines a text's words with its places: its tenant, and the stretches that contain its number. Places
 * contain a slash, so they are never mistaken for words. Must match the expression in the index.
 */
export const placedWords = `(w.words || array_to_tsvector(ARRAY['/' || w.tenant, ${stretchBits
  .map((bits) => `'${bits}:' || (w.seq >> ${bits})::text || '/' || w.tenant`)
  .join(", ")}]))`;

/**
 * Returns at most `most` places that cover the numbers from `first` to `last` and few others. `undefined` if more
 * places would be needed.
 */
export function placesOf(first: number, last: number, most: number): string[] | undefined {
  for (const bits of stretchBits) {
    const [from, to] = [Math.floor(first / 2 ** bits), Math.floor(last / 2 ** bits)];
    if (to - from < most) return Array.from({ length: to - from + 1 }, (_, n) => `${bits}:${from + n}`);
  }
  return undefined;
}

/** Schema 10: an index that finds words by tenant and stretch. */
export const placedTexts = [
  `DROP INDEX ${schemaName}.text_words_by_word;`,
  `CREATE INDEX text_words_by_place ON ${schemaName}.text_words USING gin (
    (words || array_to_tsvector(ARRAY['/' || tenant, '10:' || (seq >> 10)::text || '/' || tenant,
      '12:' || (seq >> 12)::text || '/' || tenant, '14:' || (seq >> 14)::text || '/' || tenant,
      '16:' || (seq >> 16)::text || '/' || tenant, '18:' || (seq >> 18)::text || '/' || tenant,
      '20:' || (seq >> 20)::text || '/' || tenant])));`,
].join("\n");

/**
 * Schema 11: the plan or task that was an agent's focus until another agent completed or cancelled it. Kept until
 * the agent is notified.
 */
export const clearedFocus = `ALTER TABLE ${schemaName}.memory_agents ADD COLUMN cleared text COLLATE "C";`;

/** Schema 12: each thought's position and size beside its words. Older thoughts still need a lookup. */
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
