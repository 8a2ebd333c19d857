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
import type { Row } from "../../rows/row.ts";
import type { Connection, WithConnection, WriteConnection } from "../connection/access.ts";
import { typeOf } from "../connection/insert.ts";
import { deciding } from "../connection/postgres-engine.ts";
import { openPostgresSource } from "../search/postgres-source.ts";
import { createTotals } from "../search/search-scope.ts";
import { countRequests, readCritiques } from "./critiques.ts";
import { createIndexCache } from "./index-cache.ts";
import { type AccessTimes, type KnownSessions, loadSessions } from "./known-sessions.ts";
import { applyLedgerWrites, makeWordsAhead, type Numbers } from "./ledger-writes.ts";
import { loadRejections } from "./rejections.ts";
import { selectFirstAgents, selectIdsByPrefix, selectSessions, selectTrash } from "./session-reads.ts";
import {
  selectEntries,
  selectHead,
  selectLatest,
  selectStride,
  selectThoughtAt,
  selectThoughts,
} from "./thought-reads.ts";

export type LedgerStoreParts = {
  read: WithConnection;
  /** Runs all reads in `work` on one snapshot. */
  together<Result>(work: () => Promise<Result>): Promise<Result>;
  commits: LedgerCommits;
  known: KnownSessions;
  accessTimes: AccessTimes;
  clock: Clock;
};

export function createLedgerStore(parts: LedgerStoreParts): LedgerStore {
  const { read, together, commits, known, accessTimes, clock } = parts;
  const loadIndex = createIndexCache(read);
  const readTotals = createTotals();
  const find = async (sessionId: string) => {
    const [found] = await read((connection) => loadSessions(connection, [sessionId]));
    return found?.session.deletedAt === undefined ? found?.session : undefined;
  };
  const recorded = (stored: StoredSession | undefined, sessionId: string) => {
    const record = stored && toRecord(stored, clock());
    const seen = accessTimes.of(sessionId);
    if (!record || !seen || seen < record.session.lastAccessedAt) return record;
    return { ...record, session: { ...record.session, lastAccessedAt: seen } };
  };
  return {
    createSession: commits.create,
    readSession: async (sessionId) => recorded(await find(sessionId), sessionId),
    recallSession: async (sessionId) =>
      recorded(known.recall(sessionId) ?? (await find(sessionId)), sessionId),
    countByProject: (limit) =>
      read(async ({ sql }) =>
        (
          await sql(`SELECT project, count(*) AS sessions FROM {sessions} s WHERE deleted_at IS NULL
            GROUP BY project ORDER BY sessions DESC, project LIMIT ?`).all(limit)
        ).map((row) => ({ project: String(row["project"]), sessions: Number(row["sessions"]) })),
      ),
    listSessions: (query) => read((connection) => selectSessions(connection, query, clock())),
    readFirstAgents: (sessionIds) => read((connection) => selectFirstAgents(connection, sessionIds)),
    findSessionIds: (query) => read((connection) => selectIdsByPrefix(connection, query)),
    listTrash: (query) => read((connection) => selectTrash(connection, query, clock())),
    async saveState(sessionId, change) {
      const stored = await find(sessionId);
      // Checks for a change first, so that resuming a session needs no commit and works even if nothing can
      // be written.
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

    append: commits.append,
    readThoughts: (sessionId, selection) =>
      read((connection) => selectThoughts(connection, sessionId, selection)),
    readEntries: (sessionId, after, limit) =>
      read((connection) => selectEntries(connection, sessionId, after, limit)),
    readStride: (sessionId, after, limit) =>
      read((connection) => selectStride(connection, sessionId, after, limit)),
    readThoughtAt: (seq) => read((connection) => selectThoughtAt(connection, seq)),
    readLatest: (sessionId, beforeSeq, limit) =>
      read((connection) => selectLatest(connection, sessionId, beforeSeq, limit)),
    readHead: (sessionId) => read((connection) => selectHead(connection, sessionId)),
    attachCritique: commits.criticise,
    readCritiqueChain: (sessionId, page) => readCritiques(read, sessionId, page),
    countCritiqueRequests: (sessionId) => read((connection) => countRequests(connection, sessionId)),
    loadIndex,
    loadRejections: (sessionId) => loadRejections(read, sessionId),
    search: (query) =>
      together(async () => search(await openPostgresSource(read, query, clock(), readTotals), query, 0)),
    countMatches: (query, project) =>
      together(async () =>
        countMatches(
          await openPostgresSource(read, { project, order: "newest" }, clock(), readTotals),
          query,
        ),
      ),
    findMatches: (query, sessionId) =>
      together(async () =>
        findMatches(
          await openPostgresSource(read, { sessionId, order: "newest" }, clock(), readTotals),
          query,
        ),
      ),
  };
}

export type LedgerCommits = ReturnType<typeof createLedgerCommits>;

type Parts = {
  queue: CommitQueue<WriteConnection>;
  known: KnownSessions;
  accessTimes: AccessTimes;
  clock: Clock;
  /** Called after each commit. */
  noteOwnCommit(): void;
};

/** Creates the ledger's writes. Each write loads the facts, lets the rules decide, and stores the result. */
export function createLedgerCommits({ queue, known, accessTimes, clock, noteOwnCommit }: Parts) {
  async function apply(connection: WriteConnection, writes: LedgerWrites, numbers: Numbers): Promise<void> {
    const isEmpty = writes.lastSeq === connection.last && writes.conversations.size === 0;
    if (!isEmpty) await applyLedgerWrites(connection, known, writes, numbers);
    accessTimes.writeDown(connection);
  }

  /** Serves all waiting calls. The number of statements does not depend on the number of calls. */
  async function appendAll(
    connection: WriteConnection,
    requests: readonly AppendRequest[],
  ): Promise<readonly Served<AppendReceipt>[]> {
    known.refresh(connection);
    const loaded = noAppendFacts();
    await loadAppendFacts(connection, known, needsOfAppends(requests), loaded);
    const further = furtherNeeds(requests, loaded.facts);
    if (further) await loadAppendFacts(connection, known, further, loaded);
    const { writes, served } = decideAppends(loaded.facts, requests, connection.last, clock());
    await apply(connection, writes, loaded);
    return served;
  }

  async function create(connection: WriteConnection, draft: SessionDraft): Promise<SessionRecord> {
    const loaded = noAppendFacts();
    await loadAppendFacts(connection, known, needsOfCreation(draft), loaded);
    const { writes, outcome } = decideCreation(loaded.facts, draft, connection.last, clock());
    await apply(connection, writes, loaded);
    return outcome;
  }

  async function change(
    connection: WriteConnection,
    sessionId: string,
    at: string,
    decide: Decide,
  ): Promise<void> {
    const [found] = await loadSessions(connection, [sessionId]);
    const decision = decide(found?.session);
    if (!found || !decision) return;
    await apply(connection, writesOf(decision, at, connection.last), numbersOf(sessionId, found.sid));
  }

  async function criticise(connection: WriteConnection, request: CritiqueRequest): Promise<void> {
    const { sessionId, address } = request;
    const [found] = await loadSessions(connection, [sessionId]);
    const isThere = found && found.session.deletedAt === undefined;
    const row =
      isThere &&
      (await connection
        .sql("SELECT seq, hash FROM {thoughts} t WHERE sid = ? AND branch_id = ? AND number = ?")
        .get(found.sid, toColumn(address.branchId), address.thoughtNumber));
    const thought = row ? { seq: Number(row["seq"]), hash: String(row["hash"]) } : undefined;
    const writes = decideCritique(found?.session, thought, request, connection.last);
    await apply(connection, writes, numbersOf(sessionId, found?.sid ?? 0));
  }

  async function bringIn(
    connection: WriteConnection,
    parts: readonly SessionPart[],
    onlyProject: string | undefined,
  ): Promise<PartOutcome[]> {
    const loaded = await loadImportFacts(connection, parts);
    const writes = noWrites(connection.last);
    const outcomes = parts.map((part) => judgeImport(loaded.facts, part, writes, onlyProject));
    await apply(connection, writes, loaded);
    return outcomes;
  }

  async function submit<Result>(decided: (connection: WriteConnection) => Promise<Result>): Promise<Result> {
    const result = await queue.submit(deciding, (connection: WriteConnection) => {
      known.refresh(connection);
      return decided(connection);
    });
    noteOwnCommit();
    return result as Result;
  }

  return {
    async append(request: AppendRequest): Promise<AppendReceipt> {
      makeWordsAhead(request.draft.thought);
      const receipt = await queue.submit(appendAll, request);
      noteOwnCommit();
      return receipt;
    },
    /** Appends inside the caller's transaction, which is rolled back if this or a later step is refused. */
    async appendWithin(connection: WriteConnection, request: AppendRequest): Promise<AppendReceipt> {
      const [one] = await appendAll(connection, [request]);
      if (one?.result) return one.result;
      throw one?.refused ?? new Error("an append was not served");
    },
    create: (draft: SessionDraft) => submit((connection) => create(connection, draft)),
    /** Changes a session as `decide` returns for its current state. Writes nothing if nothing would change. */
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

/** Loads missing facts in a few round trips at most, and in none for a plain thought in a known session. */
async function loadAppendFacts(
  connection: WriteConnection,
  known: KnownSessions,
  { sessionIds, chains, keys, conversations, branchIdsOf }: AppendNeeds,
  loaded: Loaded<AppendFacts>,
): Promise<void> {
  const seqs =
    keys.length > 0 ? noteRecorded(await selectRecorded(connection, keys), loaded, sessionIds) : [];
  const [foundSessions, foundConversations, entries] = await Promise.all([
    known.find(connection, sessionIds),
    known.findConversations(connection, conversations),
    seqs.length > 0 ? selectBySeq(connection, seqs) : [],
  ]);
  noteSessions(foundSessions.values(), loaded);
  noteConversations(foundConversations, loaded);
  noteEntries(entries, loaded);
  if (chains.size > 0) {
    const { named, withAncestors, noteBranches, noteThere } = planChains(chains, loaded);
    const branches = named.length > 0 ? await selectBranches(connection, named, withAncestors) : [];
    const places = noteBranches(branches);
    if (places.length > 0) noteThere(await selectThere(connection, places));
  }
  if (branchIdsOf.size > 0) {
    const { sids, note } = planBranchIds(branchIdsOf, loaded);
    const opened =
      "SELECT sid, branch_id FROM {branches} b WHERE sid = ANY (?::bigint[]) ORDER BY opened_seq";
    note(await connection.sql(opened).all(sids));
  }
}

const selectRecorded = ({ sql }: Connection, keys: readonly OutcomeKey[]): Promise<Row[]> =>
  sql(`SELECT i.scope, i.key, i.fingerprint, i.outcome, i.at
    FROM unnest(?::text[], ?::text[]) j (scope, key) JOIN {idempotency} i ON i.scope = j.scope AND i.key = j.key`).all(
    keys.map(({ scope }) => scope),
    keys.map(({ key }) => key),
  );

const selectBySeq = ({ sql }: Connection, seqs: readonly number[]): Promise<Row[]> =>
  sql(`SELECT ${thoughtColumns}, s.id AS session_id FROM {thoughts} t
    JOIN {sessions} s ON s.sid = t.sid WHERE t.seq = ANY (?::bigint[])`).all(seqs);

const selectThere = ({ sql }: Connection, places: readonly (string | number)[][]): Promise<Row[]> =>
  sql(`SELECT t.sid, t.branch_id, t.number FROM unnest(?::bigint[], ?::text[], ?::bigint[]) j (sid, branch_id, number)
    JOIN {thoughts} t ON t.sid = j.sid AND t.branch_id = j.branch_id AND t.number = j.number`).all(
    ...columnsOf(places, 3),
  );

/** Turns rows into one list per column. */
const columnsOf = (rows: readonly (readonly (string | number)[])[], columns: number): (string | number)[][] =>
  Array.from({ length: columns }, (_, n) => rows.map((row) => row[n] ?? 0));

/** Uses UNION, not UNION ALL, because imported files may contain branches that fork from each other in a cycle. */
function selectBranches(
  { sql }: Connection,
  named: readonly [number, string][],
  withAncestors: boolean,
): Promise<Row[]> {
  const columns = "b.sid, b.branch_id, b.from_branch, b.from_number, b.highest";
  const byName = `SELECT ${columns} FROM unnest(?::bigint[], ?::text[]) j (sid, branch_id)
    JOIN {branches} b ON b.sid = j.sid AND b.branch_id = j.branch_id`;
  const withForks = `WITH RECURSIVE line AS (${byName} UNION SELECT ${columns} FROM line
      JOIN {branches} b ON b.sid = line.sid AND b.branch_id = line.from_branch) SELECT * FROM line`;
  return sql(withAncestors ? withForks : byName).all(...columnsOf(named, 2));
}

/** Loads the facts for an import decision in one batch. */
async function loadImportFacts(
  connection: Connection,
  parts: readonly SessionPart[],
): Promise<Loaded<ImportFacts>> {
  const loaded = noImportFacts();
  noteSessions(await loadSessions(connection, [...new Set(parts.map(idOf))]), loaded);
  const { first, hashes } = planImport(parts, loaded);
  const find = async ({ table, columns, by, keys, note }: Lookup): Promise<void> => {
    if (keys.length === 0) return;
    const named = ["sid", ...by];
    const lists = named.map((column) => `?::${typeOf(column)}[]`).join(", ");
    const on = named.map((column) => `x.${column} = j.${column}`).join(" AND ");
    const text = `SELECT x.sid, ${columns} FROM unnest(${lists}) j (${named.join(", ")}) JOIN {${table}} x ON ${on}`;
    note(await connection.sql(text).all(...columnsOf(keys, named.length)));
  };
  await Promise.all(first.map(find));
  await find(hashes());
  return loaded;
}
