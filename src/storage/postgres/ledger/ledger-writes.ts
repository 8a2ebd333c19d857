import { conversationOf } from "../../../domain/ledger/decide-append.ts";
import type { BranchWrite, LedgerWrites } from "../../../domain/ledger/ledger-writes.ts";
import type { StoredSession } from "../../../domain/ledger/session.ts";
import type { ChainedThought } from "../../../domain/ledger/thought.ts";
import { createStemmer } from "../../../domain/search/words/porter.ts";
import { toStems } from "../../../domain/search/words/words.ts";
import { toColumn } from "../../rows/ledger-rows.ts";
import type { SqlValue } from "../../rows/row.ts";
import type { Part, WriteConnection } from "../connection/access.ts";
import { bulkInsert, typeOf } from "../connection/insert.ts";
import { reachSeq } from "../connection/sequence.ts";
import { toVectors } from "../search/vectors.ts";
import { decodeKey, writeConversations } from "./conversations.ts";
import type { KnownSessions } from "./known-sessions.ts";

/** The numbers that rows use for sessions and conversations. `applyLedgerWrites` adds those of new ones. */
export type Numbers = { sids: Map<string, number>; cids: Map<string, number> };

/** Sends one statement for each kind of row, together with the commit. Call inside a transaction. */
export async function applyLedgerWrites(
  connection: WriteConnection,
  known: KnownSessions,
  writes: LedgerWrites,
  { sids, cids }: Numbers,
): Promise<void> {
  const { send } = connection;
  const { created, renamed, restated, advanced, thoughts, branches, critiques, changes, outcomes } = writes;
  const sidOf = (sessionId: string): number => sids.get(sessionId) ?? 0;
  reachSeq(connection, writes.lastSeq);
  const isNew = new Set(created.map(({ id }) => id));
  if (created.length > 0) {
    const last = (await connection.sql("SELECT max(sid) AS last FROM {sessions} s").get())?.["last"];
    for (const [n, { id }] of created.entries()) sids.set(id, Number(last ?? 0) + 1 + n);
    const sessions = created.map((session) => advanced.get(session.id) ?? session);
    const rows = sessions.map((session) => ({ sid: sidOf(session.id), session }));
    send(insertSessions(connection, rows));
    insertTags(connection, rows);
  }
  if (writes.conversations.size > 0)
    for (const row of await writeConversations(connection, [...writes.conversations.values()])) {
      const key = decodeKey(row);
      if (key) cids.set(conversationOf(key), Number(row["cid"]));
    }
  const rowsOf = (sessions: Iterable<StoredSession>) =>
    Array.from(sessions, (session) => ({ sid: sidOf(session.id), session }));
  const moved = rowsOf(advanced.values()).filter(({ session }) => !isNew.has(session.id));
  const rows = thoughts.map((entry): ThoughtRow => {
    const origin = writes.origins.get(entry.seq);
    const cid = origin ? (cids.get(conversationOf(origin)) ?? null) : null;
    return { sid: sidOf(entry.sessionId), entry, cid, toolUse: origin?.toolUse ?? null };
  });
  const words = rows.flatMap((row) => wordsOfText(row.entry.seq, row.entry.data.thought, row));
  // If only a single thought is written, one statement can be the whole transaction.
  const [thought, head, vector] = [rows[0], moved[0], words[0]];
  const isOne = thought && head && vector && rows.length * moved.length * words.length === 1;
  const parts = isOne ? [insertThoughts.one(thought), updateHeads.one(head), insertWords.one(vector)] : [];
  if (!isOne || !connection.sendWhole(parts)) {
    if (rows.length > 0) {
      send(insertThoughts(connection, rows));
      send(insertWords(connection, words));
    }
    if (moved.length > 0) send(updateHeads(connection, moved));
  }
  if (branches.length > 0) writeBranches(connection, branches, sidOf);
  if (renamed.size > 0) rename(connection, rowsOf(renamed.values()));
  if (restated.size > 0) send(updateStates(connection, rowsOf(restated.values())));
  if (critiques.length > 0)
    send(
      insertCritiques(
        connection,
        critiques.map((critique) => ({ sid: sidOf(critique.sessionId), critique })),
      ),
    );
  if (changes.length > 0)
    send(
      insertChanges(
        connection,
        changes.map((change) => ({ sid: sidOf(change.sessionId), change })),
      ),
    );
  if (outcomes.length > 0) send(insertOutcomes(connection, outcomes));
  for (const [name, { sessionId }] of writes.conversations)
    known.keepConversation(name, { cid: cids.get(name) ?? 0, sessionId });
  for (const sessions of [created, advanced.values(), renamed.values(), restated.values()])
    for (const session of sessions) keepKnown(known, sids, session);
}

function keepKnown(known: KnownSessions, sids: ReadonlyMap<string, number>, session: StoredSession): void {
  const sid = sids.get(session.id);
  if (sid === undefined || session.deletedAt !== undefined) known.forget(session.id);
  else known.keep({ sid, session });
}

type SessionRow = { sid: number; session: StoredSession };
type Columns = Readonly<Record<string, (row: SessionRow) => SqlValue>>;

const nameColumns: Columns = {
  project: ({ session }) => session.project,
  title: ({ session }) => session.title,
  description: ({ session }) => session.description ?? null,
  tags: ({ session }) => JSON.stringify(session.tags),
  words: ({ session: { title, description = "", tags } }) =>
    toVectors(...[title, description, tags.join(" ")].map((text) => toStems(text)))[0] ?? "",
};
const stateColumns: Columns = {
  stage: ({ session }) => session.state.stage,
  domain: ({ session }) => session.state.domain ?? null,
  bound_root: ({ session }) => session.state.boundRoot ?? null,
  navigation: ({ session }) => JSON.stringify(session.state.navigation),
  deleted_at: ({ session }) => session.deletedAt ?? null,
};
const headColumns: Columns = {
  thought_count: ({ session }) => session.thoughtCount,
  branch_count: ({ session }) => session.branchCount,
  highest: ({ session }) => session.highest,
  chain_length: ({ session }) => session.length,
  chain_head: ({ session }) => session.hash,
  amendment_count: ({ session }) => session.critiqueCount,
  amendment_head: ({ session }) => session.critiqueHead,
  updated_at: ({ session }) => session.updatedAt,
  last_accessed_at: ({ session }) => session.lastAccessedAt,
  status: ({ session }) => session.status,
  completed_at: ({ session }) => session.completedAt ?? null,
};

const insertSessions = bulkInsert<SessionRow>(
  "sessions",
  {
    sid: ({ sid }) => sid,
    id: ({ session }) => session.id,
    ...nameColumns,
    partition_path: ({ session }) => session.partitionPath ?? null,
    created_at: ({ session }) => session.createdAt,
    ...stateColumns,
    ...headColumns,
  },
  { types: { words: "tsvector" } },
);

/** Updates any number of sessions with one statement. */
function updating(columns: Columns) {
  const names = Object.keys(columns);
  const types = names.map((name) => (name === "words" ? "tsvector" : typeOf(name)));
  const lists = types.map((type) => `?::${type}[]`).join(", ");
  const text = `UPDATE sessions s SET ${names.map((name) => `${name} = u.${name}`).join(", ")}
    FROM unnest(?::bigint[], ${lists}) u (sid, ${names.join(", ")}) WHERE s.tenant = @tenant AND s.sid = u.sid`;
  const textOfOne = `UPDATE sessions SET ${names.map((name, n) => `${name} = ?::${types[n]}`).join(", ")}
    WHERE tenant = @tenant AND sid = ?::bigint`;
  const update = ({ sql }: WriteConnection, rows: readonly SessionRow[]) =>
    sql(text).run(
      rows.map(({ sid }) => sid),
      ...Object.values(columns).map((column) => rows.map(column)),
    );
  const one = (row: SessionRow): Part => ({
    text: textOfOne,
    values: [...Object.values(columns).map((column) => column(row)), row.sid],
  });
  return Object.assign(update, { one });
}
const updateHeads = updating(headColumns);
const updateStates = updating(stateColumns);
const updateNames = updating({
  ...nameColumns,
  navigation: ({ session }) => JSON.stringify(session.state.navigation),
  updated_at: ({ session }) => session.updatedAt,
});

function rename(connection: WriteConnection, rows: readonly SessionRow[]): void {
  const { sql, send } = connection;
  send(updateNames(connection, rows));
  send(
    sql("DELETE FROM session_tags WHERE tenant = @tenant AND sid = ANY (?::bigint[])").run(
      rows.map(({ sid }) => sid),
    ),
  );
  insertTags(connection, rows);
}

const writeTags = bulkInsert<{ tag: string; sid: number }>("session_tags", {
  tag: ({ tag }) => tag,
  sid: ({ sid }) => sid,
});

function insertTags(connection: WriteConnection, rows: readonly SessionRow[]): void {
  const tags = rows.flatMap(({ sid, session }) => [...new Set(session.tags)].map((tag) => ({ tag, sid })));
  if (tags.length > 0) connection.send(writeTags(connection, tags));
}

type ThoughtRow = { sid: number; entry: ChainedThought; cid: number | null; toolUse: string | null };

const insertThoughts = bulkInsert<ThoughtRow>("thoughts", {
  seq: ({ entry }) => entry.seq,
  sid: ({ sid }) => sid,
  position: ({ entry }) => entry.position,
  branch_id: ({ entry: { data } }) => toColumn(data.branchId),
  number: ({ entry: { data } }) => data.thoughtNumber,
  thought: ({ entry: { data } }) => data.thought,
  total: ({ entry: { data } }) => data.totalThoughts,
  next_needed: ({ entry: { data } }) => (data.nextThoughtNeeded ? 1 : 0),
  timestamp: ({ entry: { data } }) => data.timestamp,
  revises_branch: ({ entry: { data } }) => (data.revises ? toColumn(data.revises.branchId) : null),
  revises_number: ({ entry: { data } }) => data.revises?.thoughtNumber ?? null,
  from_branch: ({ entry: { data } }) =>
    data.branchFromThought === undefined ? null : toColumn(data.branchFromBranch),
  from_number: ({ entry: { data } }) => data.branchFromThought ?? null,
  needs_more: ({ entry: { data } }) => (data.needsMoreThoughts ? 1 : 0),
  agent_id: ({ entry: { data } }) => data.agentId ?? null,
  cipher: ({ entry: { data } }) => (data.cipher ? JSON.stringify(data.cipher) : null),
  cipher_types: ({ entry: { data } }) =>
    data.cipher ? [...new Set(data.cipher.map((step) => step.type))].join("") : null,
  salt: ({ entry }) => entry.salt,
  prev_hash: ({ entry }) => entry.prevHash,
  hash: ({ entry }) => entry.hash,
  critique_requested: ({ entry: { data } }) => (data.critiqueRequested ? 1 : 0),
  cid: ({ cid }) => cid,
  tool_use: ({ toolUse }) => toolUse,
});

export type WordsRow = { seq: number; part: number; words: string; of: ThoughtRow | undefined };

/** Inserts words, which searches find as soon as the transaction is committed. Only thoughts have a place. */
export const insertWords = bulkInsert<WordsRow>(
  "text_words",
  {
    seq: ({ seq }) => seq,
    part: ({ part }) => part,
    sid: ({ of }) => of?.sid ?? null,
    words: ({ words }) => words,
    position: ({ of }) => of?.entry.position ?? null,
    size: ({ of }) => (of ? Buffer.byteLength(of.entry.data.thought) : null),
  },
  { types: { words: "tsvector", size: "bigint" } },
);

const stemOf = createStemmer();

const vectorsOf = (text: string): string[] => toVectors(toStems(text, stemOf));

/** The words of texts that are waiting to be committed. */
const ahead = new Map<string, string[]>();
const most = { texts: 512, chars: 10_000 };

/** Computes a text's words before the lock is taken, so that the lock is released sooner. */
export function makeWordsAhead(text: string): void {
  if (text.length > most.chars) return;
  if (ahead.size >= most.texts) ahead.clear();
  ahead.set(text, vectorsOf(text));
}

export function wordsOfText(seq: number, text: string, of?: ThoughtRow): WordsRow[] {
  const vectors = ahead.get(text) ?? vectorsOf(text);
  ahead.delete(text);
  return vectors.map((words, part) => ({ seq, part, words, of }));
}

const insertCritiques = bulkInsert<{ sid: number; critique: LedgerWrites["critiques"][number] }>(
  "critiques",
  {
    seq: ({ critique }) => critique.seq,
    sid: ({ sid }) => sid,
    position: ({ critique }) => critique.position,
    thought_seq: ({ critique }) => critique.thoughtSeq,
    text: ({ critique }) => critique.text,
    model: ({ critique }) => critique.model,
    timestamp: ({ critique }) => critique.timestamp,
    salt: ({ critique }) => critique.salt,
    prev_hash: ({ critique }) => critique.prevHash,
    hash: ({ critique }) => critique.hash,
  },
);

const insertChanges = bulkInsert<{ sid: number; change: LedgerWrites["changes"][number] }>(
  "session_changes",
  {
    seq: ({ change }) => change.seq,
    sid: ({ sid }) => sid,
    kind: ({ change }) => change.kind,
    at: ({ change }) => change.at,
  },
);

/** Inserts outcomes. Replaces an earlier outcome with the same key if it is too old to be recalled. */
const insertOutcomes = bulkInsert<LedgerWrites["outcomes"][number]>(
  "idempotency",
  {
    scope: ({ scope }) => scope,
    key: ({ key }) => key,
    fingerprint: ({ fingerprint }) => fingerprint,
    outcome: ({ outcome }) => JSON.stringify(outcome),
    at: ({ at }) => at,
  },
  {
    behind: `ON CONFLICT (tenant, scope, key) DO UPDATE SET fingerprint = excluded.fingerprint,
      outcome = excluded.outcome, at = excluded.at`,
  },
);

const insertBranches = bulkInsert<{ sid: number; branch: BranchWrite }>("branches", {
  sid: ({ sid }) => sid,
  branch_id: ({ branch }) => branch.branchId,
  from_branch: ({ branch }) => toColumn(branch.opens?.fork.branchId),
  from_number: ({ branch }) => branch.opens?.fork.thoughtNumber ?? 0,
  highest: ({ branch }) => branch.highest,
  opened_seq: ({ branch }) => branch.opens?.seq ?? 0,
});

function writeBranches(
  connection: WriteConnection,
  branches: readonly BranchWrite[],
  sidOf: (sessionId: string) => number,
): void {
  const { sql, send } = connection;
  const rows = branches.map((branch) => ({ sid: sidOf(branch.sessionId), branch }));
  const opened = rows.filter(({ branch }) => branch.opens);
  const raised = rows.filter(({ branch }) => !branch.opens);
  if (opened.length > 0) send(insertBranches(connection, opened));
  if (raised.length > 0)
    send(
      sql(`UPDATE branches b SET highest = greatest(b.highest, u.highest) FROM (
          SELECT sid, branch_id, max(highest) AS highest FROM unnest(?::bigint[], ?::text[], ?::bigint[])
          r (sid, branch_id, highest) GROUP BY sid, branch_id) u
        WHERE b.tenant = @tenant AND b.sid = u.sid AND b.branch_id = u.branch_id`).run(
        raised.map(({ sid }) => sid),
        raised.map(({ branch }) => branch.branchId),
        raised.map(({ branch }) => branch.highest),
      ),
    );
}
