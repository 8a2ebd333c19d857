import { conversationOf } from "../../../domain/ledger/decide-append.ts";
import type { BranchWrite, LedgerWrites } from "../../../domain/ledger/ledger-writes.ts";
import type { StoredSession } from "../../../domain/ledger/session.ts";
import type { ChainedThought } from "../../../domain/ledger/thought.ts";
import { toStems } from "../../../domain/search/words/words.ts";
import { toColumn } from "../../rows/ledger-rows.ts";
import type { SqlValue } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";
import { nextSeq, reachSeq, type Sequence } from "../connection/sequence.ts";
import { rowInserter } from "../connection/statements.ts";
import { writeConversation } from "./conversations.ts";
import type { KnownSessions } from "./known-sessions.ts";

/** Maps sessions and conversations to the numbers that rows use. Inserts add the new numbers. */
export type Numbers = { sids: Map<string, number>; cids: Map<string, number> };

/**
 * Call inside a transaction. Inserts each kind of row in bulk. Changed rows are updated one by one, because SQLite
 * takes twice as long to update several with one statement.
 */
export function applyLedgerWrites(
  connection: Connection,
  known: KnownSessions,
  writes: LedgerWrites,
  { sids, cids }: Numbers,
): void {
  const { created, renamed, restated, advanced, thoughts, branches, critiques, changes, outcomes } = writes;
  const sidOf = (sessionId: string): number => sids.get(sessionId) ?? 0;
  const sequence = known.sequence(connection);
  const last = changes.at(-1);
  // Moves the counter before any thought with a higher number is inserted, so that it never lags behind.
  if (last) reachSeq(connection, last.seq);
  const isNew = created.length === 0 ? nobody : new Set(created.map(({ id }) => id));
  if (created.length > 0)
    insertSessions(
      connection,
      created.map((session) => advanced.get(session.id) ?? session),
      sids,
    );
  for (const [name, { key, sessionId, at }] of writes.conversations)
    cids.set(name, writeConversation(connection, key, sessionId, at));
  if (thoughts.length > 0)
    insertThoughts(
      connection,
      thoughts.map((entry) => {
        const origin = writes.origins.get(entry.seq);
        const cid = origin ? (cids.get(conversationOf(origin)) ?? null) : null;
        return thoughtRow(sidOf(entry.sessionId), entry, cid, origin?.toolUse);
      }),
    );
  if (branches.length > 0) writeBranches(connection, branches, sidOf);
  for (const [sessionId, session] of advanced)
    if (!isNew.has(sessionId)) connection.sql(updateHead).run(...headOf(session), sidOf(sessionId));
  for (const [sessionId, session] of renamed) rename(connection, sidOf(sessionId), session);
  for (const [sessionId, session] of restated)
    connection.sql(updateState).run(...stateOf(session), sidOf(sessionId));
  if (critiques.length > 0)
    insertCritiques(
      connection,
      critiques.map((one) => [
        ...[one.seq, sidOf(one.sessionId), one.position, one.thoughtSeq, one.text, one.model],
        ...[one.timestamp, one.salt, one.prevHash, one.hash],
      ]),
    );
  if (changes.length > 0)
    insertChanges(
      connection,
      changes.map(({ seq, sessionId, kind, at }) => [seq, sidOf(sessionId), kind, at]),
    );
  if (outcomes.length > 0)
    insertOutcomes(
      connection,
      outcomes.map((one) => [one.scope, one.key, one.fingerprint, JSON.stringify(one.outcome), one.at]),
    );
  known.reach(reached(connection, writes, sequence));
  for (const [name, { sessionId }] of writes.conversations)
    known.keepConversation(name, { cid: cids.get(name) ?? 0, sessionId });
  for (const sessions of [created, advanced.values(), renamed.values(), restated.values()])
    for (const session of sessions) keepKnown(known, sids, session);
}

const nobody: ReadonlySet<string> = new Set();

/** Returns the new sequence. A merge that had reserved one of its numbers is discarded and starts again. */
function reached(
  connection: Connection,
  { lastSeq, thoughts }: LedgerWrites,
  { mergeFrom }: Sequence,
): Sequence {
  if (mergeFrom === undefined || mergeFrom > lastSeq) return { last: lastSeq, mergeFrom };
  return { last: thoughts.length > 0 ? nextSeq(connection) : lastSeq, mergeFrom: undefined };
}

function keepKnown(known: KnownSessions, sids: ReadonlyMap<string, number>, session: StoredSession): void {
  const sid = sids.get(session.id);
  if (sid === undefined || session.deletedAt !== undefined) known.forget(session.id);
  else known.keep({ sid, session });
}

function insertSessions(
  connection: Connection,
  sessions: readonly StoredSession[],
  sids: Map<string, number>,
): void {
  const last = connection.sql("SELECT max(sid) AS last FROM sessions").get()?.["last"];
  const numbered = sessions.map((session, n) => ({ session, sid: Number(last ?? 0) + 1 + n }));
  for (const { session, sid } of numbered) sids.set(session.id, sid);
  insertRecords(
    connection,
    numbered.map(({ session, sid }) => [
      sid,
      session.id,
      ...namesOf(session),
      session.partitionPath ?? null,
      session.createdAt,
      ...stateOf(session),
      ...headOf(session),
    ]),
  );
  insertTags(
    connection,
    numbered.flatMap(({ session, sid }) => [...new Set(session.tags)].map((tag) => [tag, sid])),
  );
  insertWords(
    connection,
    numbered.map(({ session, sid }) => [sid, ...wordsOf(session)]),
  );
}

const nameColumns = ["project", "title", "description", "tags"];
const stateColumns = ["stage", "domain", "bound_root", "navigation", "deleted_at"];
const headColumns = [
  ...["thought_count", "branch_count", "highest", "chain_length", "chain_head", "amendment_count"],
  ...["amendment_head", "updated_at", "last_accessed_at", "status", "completed_at"],
];

const namesOf = ({ project, title, description, tags }: StoredSession): SqlValue[] => [
  project,
  title,
  description ?? null,
  JSON.stringify(tags),
];

const stateOf = ({ state, deletedAt }: StoredSession): SqlValue[] => [
  state.stage,
  state.domain ?? null,
  state.boundRoot ?? null,
  JSON.stringify(state.navigation),
  deletedAt ?? null,
];

const headOf = (session: StoredSession): SqlValue[] => [
  session.thoughtCount,
  session.branchCount,
  session.highest,
  session.length,
  session.hash,
  session.critiqueCount,
  session.critiqueHead,
  session.updatedAt,
  session.lastAccessedAt,
  session.status,
  session.completedAt ?? null,
];

const wordsOf = ({ title, description = "", tags }: StoredSession): string[] =>
  [title, description, tags.join(" ")].map((text) => toStems(text));

const recordColumns = [
  "sid",
  "id",
  ...nameColumns,
  "partition_path",
  "created_at",
  ...stateColumns,
  ...headColumns,
];

const insertRecords = rowInserter(`INSERT INTO sessions (${recordColumns.join(", ")})`, recordColumns.length);
const insertTags = rowInserter("INSERT INTO session_tags (tag, sid)", 2);
const insertWords = rowInserter("INSERT INTO session_words (rowid, title, description, tags)", 4);

const setting = (columns: readonly string[]): string =>
  `UPDATE sessions SET ${columns.map((column) => `${column} = ?`).join(", ")} WHERE sid = ?`;
const updateHead = setting(headColumns);
const updateState = setting(stateColumns);
const updateNames = setting([...nameColumns, "navigation", "updated_at"]);

function rename(connection: Connection, sid: number, session: StoredSession): void {
  const { sql } = connection;
  sql(updateNames).run(...namesOf(session), JSON.stringify(session.state.navigation), session.updatedAt, sid);
  sql("DELETE FROM session_tags WHERE sid = ?").run(sid);
  insertTags(
    connection,
    [...new Set(session.tags)].map((tag) => [tag, sid]),
  );
  sql("UPDATE session_words SET title = ?, description = ?, tags = ? WHERE rowid = ?").run(
    ...wordsOf(session),
    sid,
  );
}

const thoughtColumns = [
  ...["seq", "sid", "position", "branch_id", "number", "thought", "total", "next_needed", "timestamp"],
  ...["revises_branch", "revises_number", "from_branch", "from_number", "needs_more", "agent_id", "cipher"],
  ...["cipher_types", "salt", "prev_hash", "hash", "critique_requested", "cid", "tool_use"],
];
const insertThoughts = rowInserter(
  `INSERT INTO thoughts (${thoughtColumns.join(", ")})`,
  thoughtColumns.length,
);

const thoughtRow = (
  sid: number,
  { seq, position, salt, prevHash, hash, data }: ChainedThought,
  cid: number | null,
  toolUse: string | undefined,
): SqlValue[] => [
  seq,
  sid,
  position,
  toColumn(data.branchId),
  data.thoughtNumber,
  data.thought,
  data.totalThoughts,
  data.nextThoughtNeeded ? 1 : 0,
  data.timestamp,
  data.revises ? toColumn(data.revises.branchId) : null,
  data.revises?.thoughtNumber ?? null,
  data.branchFromThought === undefined ? null : toColumn(data.branchFromBranch),
  data.branchFromThought ?? null,
  data.needsMoreThoughts ? 1 : 0,
  data.agentId ?? null,
  data.cipher ? JSON.stringify(data.cipher) : null,
  data.cipher ? typesOf(data.cipher) : null,
  salt,
  prevHash,
  hash,
  data.critiqueRequested ? 1 : 0,
  cid,
  toolUse ?? null,
];

/** Returns the distinct step types in a thought's notation. Most thoughts have a single step. */
const typesOf = ([first, ...others]: NonNullable<ChainedThought["data"]["cipher"]>): string =>
  others.length === 0
    ? (first?.type ?? "")
    : [...new Set([first?.type, ...others.map(({ type }) => type)])].join("");

const insertBranches = rowInserter(
  "INSERT INTO branches (sid, branch_id, from_branch, from_number, highest, opened_seq)",
  6,
);
const insertCritiques = rowInserter(
  "INSERT INTO critiques (seq, sid, position, thought_seq, text, model, timestamp, salt, prev_hash, hash)",
  10,
);
const insertChanges = rowInserter("INSERT INTO session_changes (seq, sid, kind, at)", 4);
/** Inserts outcomes. An earlier outcome with the same key is too old to be recalled and is replaced. */
const insertOutcomes = rowInserter(
  "INSERT OR REPLACE INTO idempotency (scope, key, fingerprint, outcome, at)",
  5,
);

function writeBranches(
  connection: Connection,
  branches: readonly BranchWrite[],
  sidOf: (sessionId: string) => number,
): void {
  const opened = branches.flatMap(({ sessionId, branchId, highest, opens }) =>
    opens
      ? [
          [
            sidOf(sessionId),
            branchId,
            toColumn(opens.fork.branchId),
            opens.fork.thoughtNumber,
            highest,
            opens.seq,
          ],
        ]
      : [],
  );
  insertBranches(connection, opened);
  const raise = connection.sql(
    "UPDATE branches SET highest = max(highest, ?) WHERE sid = ? AND branch_id = ?",
  );
  for (const { sessionId, branchId, highest, opens } of branches)
    if (!opens) raise.run(highest, sidOf(sessionId), branchId);
}
