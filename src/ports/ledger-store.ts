import type { Rejections } from "../domain/analysis/rejections.ts";
import type { CritiqueChain } from "../domain/ledger/chain/critique-chain.ts";
import type { ThoughtIndex } from "../domain/ledger/chain/thought-index.ts";
import type {
  AppendReceipt,
  AppendRequest,
  CritiqueRequest,
  SessionDraft,
  SessionEdit,
} from "../domain/ledger/requests.ts";
import type { Session, SessionRecord, SessionState } from "../domain/ledger/session.ts";
import type { ChainedThought } from "../domain/ledger/thought.ts";
import type {
  MatchCounts,
  MatchPositions,
  ScopeQuery,
  SearchHit,
  SearchPage,
  SearchQuery,
} from "../domain/search/search.ts";

export type {
  AppendReceipt,
  AppendRequest,
  CritiqueRequest,
  Opening,
  SentAgain,
  SessionDraft,
  SessionEdit,
} from "../domain/ledger/requests.ts";

export type SessionQuery = {
  /** `undefined` selects all projects. */
  project?: string | undefined;
  tags?: readonly string[] | undefined;
  tagMode: "all" | "any";
  /** The tags for the requested task and aspect. A session needs all of them, regardless of `tagMode`. */
  requiredTags?: readonly string[] | undefined;
  /** Words that the title, description or tags must contain. */
  search?: string | undefined;
  status?: Session["status"] | undefined;
  limit: number;
  offset: number;
  sortBy: "createdAt" | "updatedAt" | "title";
  sortOrder: "asc" | "desc";
};

export type SessionPage = { sessions: Session[]; total: number };

export type TrashPage = { sessions: (Session & { deletedAt: string })[]; total: number };

/** Selects thoughts in one chain. `undefined` as `branchId` selects the main chain. */
export type ThoughtSelection = { branchId?: string | undefined; type?: string | undefined } & (
  | { select: "one"; thoughtNumber: number }
  /** The newest thoughts by arrival, returned oldest first. */
  | { select: "last"; count: number }
  /**
   * By number, both ends included. If the range contains more than `count` thoughts, those with the highest
   * numbers are returned.
   */
  | { select: "range"; from: number; to: number; count: number }
);

export type { MatchCounts, MatchPositions, ScopeQuery, SearchHit, SearchPage, SearchQuery };

export type IdQuery = { project: string; prefix: string; limit: number };

/** Selects critiques after a position, up to a limit. */
export type CritiquePage = { after: number; limit?: number };

/**
 * Stores sessions and thoughts durably. A write resolves after the commit is on disk. If it rejects with a
 * ThoughtboxError, nothing was changed. Calls may run concurrently. A store assigns numbers inside its own
 * transaction and may commit waiting calls together.
 */
export interface LedgerStore {
  createSession(draft: SessionDraft): Promise<SessionRecord>;
  /** Returns `undefined` if no session has this ID, or if it was deleted. */
  readSession(sessionId: string): Promise<SessionRecord | undefined>;
  /**
   * Like `readSession`, but may return this process's cached copy. Use it only before a write, because the
   * write checks the store.
   */
  recallSession(sessionId: string): Promise<SessionRecord | undefined>;
  listSessions(query: SessionQuery): Promise<SessionPage>;
  /**
   * Returns the first agent of each session, by session ID. Omits sessions whose first few thoughts have no
   * agent. Users and tools do not count as agents.
   */
  readFirstAgents(sessionIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Lists the projects that have sessions, those with the most sessions first. */
  countByProject(limit: number): Promise<{ project: string; sessions: number }[]>;
  /**
   * Returns the session IDs in a project that begin with `prefix`, newest first. Searches either existing
   * sessions or the trash.
   */
  findSessionIds(query: IdQuery): Promise<string[]>;
  /** Lists the contents of the trash, most recently deleted first. */
  listTrash(query: Pick<SessionQuery, "project" | "limit" | "offset">): Promise<TrashPage>;
  /** Merges the change into the stored state. A stage never decreases. */
  saveState(sessionId: string, change: Partial<SessionState>): Promise<void>;
  /** Changes the session's metadata or project. Rejects with SESSION_NOT_FOUND. */
  updateSession(sessionId: string, edit: SessionEdit, at: string): Promise<void>;
  /** Moves the session to the trash, where reads, lists and searches no longer find it. No data is lost. */
  deleteSession(sessionId: string, at: string): Promise<void>;
  /**
   * Restores the session from the trash. Rejects with SESSION_NOT_FOUND if the session is not in the trash,
   * or not in `onlyProject`.
   */
  restoreSession(sessionId: string, at: string, onlyProject?: string): Promise<void>;
  /**
   * Records the access time. A store may write many access times together, and ignores failures, so no read
   * is delayed or fails.
   */
  touch(sessionId: string, at: string): void;

  /** Appends a thought at the place that `placeThought` chooses. Rejects if `placeThought` refuses the thought. */
  append(request: AppendRequest): Promise<AppendReceipt>;
  /** Returns thoughts in the requested order, with `revisedBy` set. Empty for an unknown session or branch. */
  readThoughts(sessionId: string, selection: ThoughtSelection): Promise<ChainedThought[]>;
  /** Returns the thought with this seq, in any session that is not deleted. */
  readThoughtAt(seq: number): Promise<ChainedThought | undefined>;
  /**
   * Returns entries with positions above `after`, in order of arrival. Used for export, verification and
   * rebuilding.
   */
  readEntries(sessionId: string, after: number, limit: number): Promise<ChainedThought[]>;
  /**
   * Like `readEntries`, but returns at most a mebibyte of text, unless a single thought is longer. `isLast` is true if
   * no more entries follow.
   */
  readStride(
    sessionId: string,
    after: number,
    limit: number,
  ): Promise<{ entries: ChainedThought[]; isLast: boolean }>;
  /**
   * Returns the newest thoughts by arrival, oldest first. If `beforeSeq` is set, considers only thoughts with
   * a lower seq.
   */
  readLatest(sessionId: string, beforeSeq: number | undefined, limit: number): Promise<ChainedThought[]>;
  /** Returns the head of the chain as recorded in the session. */
  readHead(sessionId: string): Promise<{ length: number; hash: string } | undefined>;
  /** Records a critique as a separate entry. The thought does not change. Rejects with THOUGHT_NOT_FOUND. */
  attachCritique(request: CritiqueRequest): Promise<void>;
  /** Returns the session's critique chain, or one page of it. `length` always counts the complete chain. */
  readCritiqueChain(sessionId: string, page?: CritiquePage): Promise<CritiqueChain>;
  /** Counts the thoughts that were recorded with a critique request. */
  countCritiqueRequests(sessionId: string): Promise<number>;
  /** Returns the index of a session's thoughts, including all thoughts recorded before the call. */
  loadIndex(sessionId: string): Promise<ThoughtIndex>;
  /**
   * Returns which thoughts have been rejected by later ones at the time of the call. In a long session,
   * checks only the newest thoughts.
   */
  loadRejections(sessionId: string): Promise<Pick<Rejections, "isRejected">>;

  search(query: SearchQuery): Promise<SearchPage>;
  /**
   * Counts the thoughts that contain every word, per session. If no thought contains every word, counts those
   * that contain any word.
   */
  countMatches(query: string, project?: string): Promise<MatchCounts>;
  /** Returns the thoughts of a session that `countMatches` counts. */
  findMatches(query: string, sessionId: string): Promise<MatchPositions>;
}
