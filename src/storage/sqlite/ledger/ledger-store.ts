import {
  type AppendFacts,
  type AppendNeeds,
  decideAppends,
  decideCreation,
  decideCritique,
  furtherNeeds,
  needsOfAppends,
  needsOfCreation,
  type OutcomeKey,
} from "../../../domain/ledger/decide-append.ts";
import {
  type ImportFacts,
  judgeImport,
  type PartOutcome,
  type SessionPart,
} from "../../../domain/ledger/judge-import.ts";
import { type LedgerWrites, noWrites, writesOf } from "../../../domain/ledger/ledger-writes.ts";
import type {
  AppendReceipt,
  AppendRequest,
  CritiqueRequest,
  SessionDraft,
} from "../../../domain/ledger/requests.ts";
import {
  decideDeletion,
  decideEdit,
  decideReturn,
  decideState,
  type SessionDecision,
  type SessionRecord,
  type StoredSession,
  toRecord,
} from "../../../domain/ledger/session.ts";
import { countMatches, findMatches, search } from "../../../domain/search/search.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { CommitQueue } from "../../../kernel/commit-queue.ts";
import type { Served } from "../../../kernel/errors.ts";
import type { LedgerStore } from "../../../ports/ledger-store.ts";
import {
  idOf,
  type Loaded,
  type Lookup,
  noAppendFacts,
  noImportFacts,
  noteConversations,
  noteEntries,
  noteRecorded,
  noteSessions,
  planBranchIds,
  planChains,
  planImport,
  thoughtColumns,
  toColumn,
} from "../../rows/ledger-rows.ts";
import type { WithConnection } from "../connection/access.ts";
import type { Row } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";
import { deciding } from "../connection/sqlite-engine.ts";
import { openSqliteSource } from "../search/sqlite-source.ts";
import type { WordIndex } from "../search/word-index.ts";
import { countRequests, readCritiquesInStrides } from "./critiques.ts";
import { createIndexCache } from "./index-cache.ts";
import { type AccessTimes, type KnownSessions, loadSessions } from "./known-sessions.ts";
import { applyLedgerWrites, type Numbers } from "./ledger-writes.ts";
import { createRejectionCache } from "./rejections.ts";
import { selectFirstAgents, selectIdsByPrefix, selectSessions, selectTrash } from "./session-reads.ts";
import {
  readInStrides,
  readSelection,
  selectHead,
  selectLatest,
  selectStride,
  selectThoughtAt,
} from "./thought-reads.ts";

export type LedgerStoreParts = {
  read: WithConnection;
  commits: LedgerCommits;
  known: KnownSessions;
  words: WordIndex;
  accessTimes: AccessTimes;
  clock: Clock;
};

export function createLedgerStore(parts: LedgerStoreParts): LedgerStore {
  const { read, commits, known, words, accessTimes, clock } = parts;
  const loadIndex = createIndexCache(read);
  const loadRejections = createRejectionCache(read);
  const find = (sessionId: string) =>
    read((connection) => known.find(connection, [sessionId]).get(sessionId)?.session);
  const readSession: LedgerStore["readSession"] = async (sessionId) => {
    const stored = await find(sessionId);
    const record = stored && toRecord(stored, clock());
    const seen = accessTimes.of(sessionId);
    if (!record || !seen || seen < record.session.lastAccessedAt) return record;
    return { ...record, session: { ...record.session, lastAccessedAt: seen } };
  };
  return {
    createSession: commits.create,
    readSession,
    recallSession: readSession,
    countByProject: (limit) =>
      read(({ sql }) =>
        sql(
          "SELECT project, sessions FROM project_totals WHERE sessions > 0 ORDER BY sessions DESC, project LIMIT ?",
        )
          .all(limit)
          .map((row) => ({ project: String(row["project"]), sessions: Number(row["sessions"]) })),
      ),
    listSessions: (query) => read((connection) => selectSessions(connection, query, clock())),
    readFirstAgents: (sessionIds) => read((connection) => selectFirstAgents(connection, sessionIds)),
    findSessionIds: (query) => read((connection) => selectIdsByPrefix(connection, query)),
    listTrash: (query) => read((connection) => selectTrash(connection, query, clock())),
    async saveState(sessionId, change) {
      const stored = await find(sessionId);
      // Checks for a change first, so that resuming a session needs no commit and works on a full disk.
      if (stored && !decideState(stored, sessionId, change)) return;
      const at = clock().toISOString();
      await commits.change(sessionId, at, (now) => decideState(now, sessionId, change));
    },
    updateSession: (sessionId, edit, at) =>
      commits.change(sessionId, at, (stored) => decideEdit(stored, sessionId, edit, at)),
    deleteSession: (sessionId, at) =>
      commits.change(sessionId, at, (stored) => decideDeletion(stored, sessionId, at)),
    restoreSession: (sessionId, at, onlyProject) =>
      commits.change(sessionId, at, (stored) => decideReturn(stored, sessionId, onlyProject)),
    touch: accessTimes.touch,

    async append(request) {
      const receipt = await commits.append(request);
      words.later();
      return receipt;
    },
    readThoughts: (sessionId, selection) => readSelection(read, sessionId, selection),
    readEntries: (sessionId, after, limit) => readInStrides(read, sessionId, after, limit),
    readStride: (sessionId, after, limit) =>
      read((connection) => selectStride(connection, sessionId, after, limit)),
    readThoughtAt: (seq) => read((connection) => selectThoughtAt(connection, seq)),
    readLatest: (sessionId, beforeSeq, limit) =>
      read((connection) => selectLatest(connection, sessionId, beforeSeq, limit)),
    readHead: (sessionId) => read((connection) => selectHead(connection, sessionId)),
    attachCritique: commits.criticise,
    readCritiqueChain: (sessionId, page) => readCritiquesInStrides(read, sessionId, page),
    countCritiqueRequests: (sessionId) => read((connection) => countRequests(connection, sessionId)),
    loadIndex,
    loadRejections,

    async search(query) {
      const unindexed = await words.catchUp();
      return search(await openSqliteSource(read, query, clock()), query, unindexed);
    },
    async countMatches(query, project) {
      await words.catchUp();
      return countMatches(await openSqliteSource(read, { project, order: "newest" }, clock()), query);
    },
    async findMatches(query, sessionId) {
      await words.catchUp();
      return findMatches(await openSqliteSource(read, { sessionId, order: "newest" }, clock()), query);
    },
  };
}

export type LedgerCommits = ReturnType<typeof createLedgerCommits>;

type Parts = {
  queue: CommitQueue<Connection>;
  known: KnownSessions;
  accessTimes: AccessTimes;
  clock: Clock;
  /** Called after each commit. */
  noteOwnCommit(): void;
};

/** Returns the ledger's writes. Each write loads the facts, lets the rules decide, and stores the result. */
export function createLedgerCommits({ queue, known, accessTimes, clock, noteOwnCommit }: Parts) {
  function apply(connection: Connection, writes: LedgerWrites, numbers: Numbers): void {
    const isEmpty = writes.lastSeq === lastSeq(connection) && writes.conversations.size === 0;
    if (!isEmpty) applyLedgerWrites(connection, known, writes, numbers);
    accessTimes.writeDown(connection);
  }

  /** Returns the last number. Call after `known.find`, which checks whether other processes have written. */
  const lastSeq = (connection: Connection): number => known.sequence(connection).last;

  /** Serves all waiting calls with a bounded number of statements, regardless of how many there are. */
  function appendAll(
    connection: Connection,
    requests: readonly AppendRequest[],
  ): readonly Served<AppendReceipt>[] {
    const loaded: Loaded<AppendFacts> = noAppendFacts();
    loadAppendFacts(connection, known, needsOfAppends(requests), loaded);
    const further = furtherNeeds(requests, loaded.facts);
    if (further) loadAppendFacts(connection, known, further, loaded);
    const { writes, served } = decideAppends(loaded.facts, requests, lastSeq(connection), clock());
    apply(connection, writes, loaded);
    return served;
  }

  function create(connection: Connection, draft: SessionDraft): SessionRecord {
    const loaded = noAppendFacts();
    loadAppendFacts(connection, known, needsOfCreation(draft), loaded);
    const { writes, outcome } = decideCreation(loaded.facts, draft, lastSeq(connection), clock());
    apply(connection, writes, loaded);
    return outcome;
  }

  /** Returns the stored session, even if it is in the trash. */
  function find(connection: Connection, sessionId: string) {
    known.find(connection, []);
    return loadSessions(connection, [sessionId])[0];
  }

  function change(connection: Connection, sessionId: string, at: string, decide: Decide): void {
    const found = find(connection, sessionId);
    const decision = decide(found?.session);
    if (!found || !decision) return;
    apply(connection, writesOf(decision, at, lastSeq(connection)), numbersOf(sessionId, found.sid));
  }

  function criticise(connection: Connection, request: CritiqueRequest): void {
    const { sessionId, address } = request;
    const found = find(connection, sessionId);
    const isThere = found && found.session.deletedAt === undefined;
    const row =
      isThere &&
      connection
        .sql("SELECT seq, hash FROM thoughts WHERE sid = ? AND branch_id = ? AND number = ?")
        .get(found.sid, toColumn(address.branchId), address.thoughtNumber);
    const thought = row ? { seq: Number(row["seq"]), hash: String(row["hash"]) } : undefined;
    const writes = decideCritique(found?.session, thought, request, lastSeq(connection));
    apply(connection, writes, numbersOf(sessionId, found?.sid ?? 0));
  }

  function bringIn(
    connection: Connection,
    parts: readonly SessionPart[],
    onlyProject: string | undefined,
  ): PartOutcome[] {
    known.find(connection, []);
    const loaded = loadImportFacts(connection, parts);
    const writes = noWrites(lastSeq(connection));
    const outcomes = parts.map((part) => judgeImport(loaded.facts, part, writes, onlyProject));
    apply(connection, writes, loaded);
    return outcomes;
  }

  async function submit<Result>(decided: (connection: Connection) => Result): Promise<Result> {
    const result = await queue.submit(deciding, decided);
    noteOwnCommit();
    return result as Result;
  }

  return {
    async append(request: AppendRequest): Promise<AppendReceipt> {
      const receipt = await queue.submit(appendAll, request);
      noteOwnCommit();
      return receipt;
    },
    /** Appends inside the caller's transaction, which is rolled back if this or a later step is refused. */
    appendWithin(connection: Connection, request: AppendRequest): AppendReceipt {
      const [one] = appendAll(connection, [request]);
      if (one?.result) return one.result;
      throw one?.refused ?? new Error("an append was not served");
    },
    create: (draft: SessionDraft) => submit((connection) => create(connection, draft)),
    /** Decides from the session's current state, and writes nothing if nothing would change. */
    change: (sessionId: string, at: string, decide: Decide) =>
      submit((connection) => change(connection, sessionId, at, decide)),
    criticise: (request: CritiqueRequest) => submit((connection) => criticise(connection, request)),
    importParts: (parts: readonly SessionPart[], onlyProject?: string) =>
      submit((connection) => bringIn(connection, parts, onlyProject)),
  };
}

type Decide = (stored: StoredSession | undefined) => SessionDecision | undefined;

const numbersOf = (sessionId: string, sid: number): Numbers => ({
  sids: new Map([[sessionId, sid]]),
  cids: new Map(),
});

/** Adds the missing facts with a bounded number of statements, and with none for a plain thought in a known session. */
function loadAppendFacts(
  connection: Connection,
  known: KnownSessions,
  { sessionIds, chains, keys, conversations, branchIdsOf }: AppendNeeds,
  loaded: Loaded<AppendFacts>,
): void {
  const seqs = keys.length > 0 ? noteRecorded(selectRecorded(connection, keys), loaded, sessionIds) : [];
  noteSessions(known.find(connection, sessionIds).values(), loaded);
  noteConversations(known.findConversations(connection, conversations), loaded);
  if (seqs.length > 0) noteEntries(selectBySeq(connection, seqs), loaded);
  if (chains.size > 0) {
    const { named, withAncestors, noteBranches, noteThere } = planChains(chains, loaded);
    const branches = named.length > 0 ? selectBranches(connection, named, withAncestors) : [];
    const places = noteBranches(branches);
    if (places.length > 0) noteThere(selectThere(connection, places));
  }
  if (branchIdsOf.size > 0) {
    const { sids, note } = planBranchIds(branchIdsOf, loaded);
    const rows = connection
      .sql(`SELECT b.sid, b.branch_id FROM json_each(?) j CROSS JOIN branches b ON b.sid = j.value
        ORDER BY b.opened_seq`)
      .all(JSON.stringify(sids));
    note(rows);
  }
}

function selectRecorded({ sql }: Connection, keys: readonly OutcomeKey[]): Row[] {
  const [only] = keys;
  const columns = "i.scope, i.key, i.fingerprint, i.outcome, i.at";
  return keys.length === 1 && only
    ? sql(`SELECT ${columns} FROM idempotency i WHERE i.scope = ? AND i.key = ?`).all(only.scope, only.key)
    : sql(`SELECT ${columns} FROM json_each(?) j CROSS JOIN idempotency i
        ON i.scope = j.value ->> 0 AND i.key = j.value ->> 1`).all(
        JSON.stringify(keys.map(({ scope, key }) => [scope, key])),
      );
}

const selectBySeq = ({ sql }: Connection, seqs: readonly number[]): Row[] =>
  sql(`SELECT ${thoughtColumns}, s.id AS session_id FROM json_each(?) j
    CROSS JOIN thoughts t ON t.seq = j.value CROSS JOIN sessions s ON s.sid = t.sid`).all(
    JSON.stringify(seqs),
  );

/** Selects branches. Uses UNION, not UNION ALL, because branches in imported files may fork in a cycle. */
function selectBranches(
  { sql }: Connection,
  named: readonly [number, string][],
  withAncestors: boolean,
): Row[] {
  const columns = "b.sid, b.branch_id, b.from_branch, b.from_number, b.highest";
  const byName = `SELECT ${columns} FROM json_each(?) j
    CROSS JOIN branches b ON b.sid = j.value ->> 0 AND b.branch_id = j.value ->> 1`;
  const withForks = `WITH RECURSIVE line AS (${byName} UNION SELECT ${columns} FROM line
      JOIN branches b ON b.sid = line.sid AND b.branch_id = line.from_branch) SELECT * FROM line`;
  return sql(withAncestors ? withForks : byName).all(JSON.stringify(named));
}

function selectThere({ sql }: Connection, places: readonly [number, string, number][]): Row[] {
  const [only] = places;
  if (places.length === 1 && only)
    return sql(
      "SELECT sid, branch_id, number FROM thoughts WHERE sid = ? AND branch_id = ? AND number = ?",
    ).all(...only);
  return sql(`SELECT t.sid, t.branch_id, t.number FROM json_each(?) j CROSS JOIN thoughts t
    ON t.sid = j.value ->> 0 AND t.branch_id = j.value ->> 1 AND t.number = j.value ->> 2`).all(
    JSON.stringify(places),
  );
}

/** Loads the facts for an import decision in one batch. */
function loadImportFacts(connection: Connection, parts: readonly SessionPart[]): Loaded<ImportFacts> {
  const loaded = noImportFacts();
  noteSessions(loadSessions(connection, [...new Set(parts.map(idOf))]), loaded);
  const { first, hashes } = planImport(parts, loaded);
  const find = ({ table, columns, by, keys, note }: Lookup): void => {
    if (keys.length === 0) return;
    const on = ["sid", ...by].map((column, n) => `x.${column} = j.value ->> ${n}`).join(" AND ");
    const text = `SELECT x.sid, ${columns} FROM json_each(?) j CROSS JOIN ${table} x ON ${on}`;
    note(connection.sql(text).all(JSON.stringify(keys)));
  };
  for (const lookup of first) find(lookup);
  find(hashes());
  return loaded;
}
