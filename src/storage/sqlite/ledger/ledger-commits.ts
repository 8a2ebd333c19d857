import {
  type AppendFacts,
  decideAppends,
  decideCreation,
  decideCritique,
  furtherNeeds,
  needsOfAppends,
  needsOfCreation,
} from "../../../domain/ledger/decide-append.ts";
import { judgeImport, type PartOutcome, type SessionPart } from "../../../domain/ledger/judge-import.ts";
import { type LedgerWrites, noWrites, writesOf } from "../../../domain/ledger/ledger-writes.ts";
import type {
  AppendReceipt,
  AppendRequest,
  CritiqueRequest,
  SessionDraft,
} from "../../../domain/ledger/requests.ts";
import type { SessionDecision, SessionRecord, StoredSession } from "../../../domain/ledger/session.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { CommitQueue, Outcome } from "../../../kernel/commit-queue.ts";
import { toColumn } from "../../rows/ledger-rows.ts";
import type { Connection } from "../connection/open-database.ts";
import { deciding } from "../connection/sqlite-engine.ts";
import type { AccessTimes } from "./known-sessions.ts";
import { type KnownSessions, loadSessions } from "./known-sessions.ts";
import { type Loaded, loadAppendFacts, loadImportFacts, noAppendFacts } from "./ledger-facts.ts";
import { applyLedgerWrites, type Numbers } from "./ledger-writes.ts";

export type LedgerCommits = ReturnType<typeof createLedgerCommits>;

type Parts = {
  queue: CommitQueue<Connection>;
  known: KnownSessions;
  accessTimes: AccessTimes;
  clock: Clock;
  /** Called after each commit. */
  noteOwnCommit(): void;
};

/** The writes of the ledger: each loads the facts, lets the rules decide, and writes down what they say. */
export function createLedgerCommits({ queue, known, accessTimes, clock, noteOwnCommit }: Parts) {
  function apply(connection: Connection, writes: LedgerWrites, numbers: Numbers): void {
    const isEmpty = writes.lastSeq === lastSeq(connection) && writes.conversations.size === 0;
    if (!isEmpty) applyLedgerWrites(connection, known, writes, numbers);
    accessTimes.writeDown(connection);
  }

  /** Asked after `known.find`, which has looked whether others have written. */
  const lastSeq = (connection: Connection): number => known.sequence(connection).last;

  /** Calls that wait together: a bounded number of statements, however many there are. */
  function appendAll(
    connection: Connection,
    requests: readonly AppendRequest[],
  ): readonly Outcome<AppendReceipt>[] {
    const loaded: Loaded<AppendFacts> = noAppendFacts();
    loadAppendFacts(connection, known, needsOfAppends(requests), loaded);
    const further = furtherNeeds(requests, loaded.facts);
    if (further) loadAppendFacts(connection, known, further, loaded);
    const { writes, outcomes } = decideAppends(loaded.facts, requests, lastSeq(connection), clock());
    apply(connection, writes, loaded);
    return outcomes;
  }

  function create(connection: Connection, draft: SessionDraft): SessionRecord {
    const loaded = noAppendFacts();
    loadAppendFacts(connection, known, needsOfCreation(draft), loaded);
    const { writes, outcome } = decideCreation(loaded.facts, draft, lastSeq(connection), clock());
    apply(connection, writes, loaded);
    return outcome;
  }

  /** A session as it is stored, in the trash too. */
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
    create: (draft: SessionDraft) => submit((connection) => create(connection, draft)),
    /** Decides by the session as it is then; nothing is written where nothing would change. */
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
