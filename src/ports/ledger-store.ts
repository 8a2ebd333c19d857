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
import type { SearchHit, SearchPage, SearchQuery } from "../domain/search/search.ts";

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
  /** `undefined` = all projects. */
  project?: string | undefined;
  tags?: readonly string[] | undefined;
  tagMode: "all" | "any";
  /** Needed whatever `tagMode` says: the task and aspect that were asked for. */
  requiredTags?: readonly string[] | undefined;
  /** Words that title, description or tags must contain. */
  search?: string | undefined;
  status?: Session["status"] | undefined;
  limit: number;
  offset: number;
  sortBy: "createdAt" | "updatedAt" | "title";
  sortOrder: "asc" | "desc";
};

export type SessionPage = { sessions: Session[]; total: number };

export type TrashPage = { sessions: (Session & { deletedAt: string })[]; total: number };

/** Which thoughts of one chain; the main chain when `branchId` is undefined. */
export type ThoughtSelection = { branchId?: string | undefined; type?: string | undefined } & (
  | { select: "one"; thoughtNumber: number }
  /** The newest by arrival, answered oldest first. */
  | { select: "last"; count: number }
  /** By number, both ends included; at most `count`, the highest numbers kept. */
  | { select: "range"; from: number; to: number; count: number }
);

export type { SearchHit, SearchPage, SearchQuery };

export type IdQuery = { project: string; prefix: string; limit: number };

/** Critiques after a position, at most so many of them. */
export type CritiquePage = { after: number; limit?: number };

/**
 * Sessions and thoughts, durable. Every promise of a write resolves after the commit is on disk and
 * rejects with a ThoughtboxError when nothing was changed. Calls may run concurrently; a store decides
 * numbers inside its own transaction and may commit waiting calls together.
 */
export interface LedgerStore {
  createSession(draft: SessionDraft): Promise<SessionRecord>;
  /** `undefined` when no session has this id, or it was deleted. */
  readSession(sessionId: string): Promise<SessionRecord | undefined>;
  /** The same, perhaps as this process saw it last. For calls that then write to it: the write decides by the store. */
  recallSession(sessionId: string): Promise<SessionRecord | undefined>;
  listSessions(query: SessionQuery): Promise<SessionPage>;
  /** Projects with sessions, those with the most first. */
  countByProject(limit: number): Promise<{ project: string; sessions: number }[]>;
  /** Ids of a project that begin with `prefix`, the newest first: of its sessions, or of those in the trash. */
  findSessionIds(query: IdQuery): Promise<string[]>;
  /** The contents of the trash, the latest first. */
  listTrash(query: Pick<SessionQuery, "project" | "limit" | "offset">): Promise<TrashPage>;
  /** Merges into the stored state; a stage never falls. */
  saveState(sessionId: string, change: Partial<SessionState>): Promise<void>;
  /** Changes what the session is called, or its project; rejects with SESSION_NOT_FOUND. */
  updateSession(sessionId: string, edit: SessionEdit, at: string): Promise<void>;
  /** To the trash: from then on the session is not found, listed or searched, and loses nothing. */
  deleteSession(sessionId: string, at: string): Promise<void>;
  /** Back from the trash; rejects with SESSION_NOT_FOUND when it is not there, or not of the one project asked for. */
  restoreSession(sessionId: string, at: string, onlyProject?: string): Promise<void>;
  /** Records the access time. Best effort and coalesced: never delays or fails a read. */
  touch(sessionId: string, at: string): void;

  /** Appends by the rules of `placeThought`; rejects with its refusals. */
  append(request: AppendRequest): Promise<AppendReceipt>;
  /** In the order asked; `revisedBy` is filled in. Unknown session or branch: an empty list. */
  readThoughts(sessionId: string, selection: ThoughtSelection): Promise<ChainedThought[]>;
  /** The thought with this seq, of whichever session; not of a deleted one. */
  readThoughtAt(seq: number): Promise<ChainedThought | undefined>;
  /** Arrival order, positions above `after`: for export, verification and rebuilding. */
  readEntries(sessionId: string, after: number, limit: number): Promise<ChainedThought[]>;
  /** The same, but no more than a mebibyte of text unless one thought is longer; `isLast` when nothing follows. */
  readStride(
    sessionId: string,
    after: number,
    limit: number,
  ): Promise<{ entries: ChainedThought[]; isLast: boolean }>;
  /** The newest that arrived, oldest first; with `beforeSeq` those with a lower seq. */
  readLatest(sessionId: string, beforeSeq: number | undefined, limit: number): Promise<ChainedThought[]>;
  /** What the session says its chain is. */
  readHead(sessionId: string): Promise<{ length: number; hash: string } | undefined>;
  /** Records a critique of a thought, beside it; rejects with THOUGHT_NOT_FOUND. The thought itself never changes. */
  attachCritique(request: CritiqueRequest): Promise<void>;
  /** The session's critiques as they are chained, all of them or those of a page; `length` counts all in any case. */
  readCritiqueChain(sessionId: string, page?: CritiquePage): Promise<CritiqueChain>;
  /** How many thoughts were recorded with the wish for a critique. */
  countCritiqueRequests(sessionId: string): Promise<number>;
  /** The linked thought store of a session, fresh up to the moment of the call. */
  loadIndex(sessionId: string): Promise<ThoughtIndex>;
  /**
   * Which thoughts of a session were given up by later ones, fresh up to the moment of the call; of a long session
   * only those among its newest.
   */
  loadRejections(sessionId: string): Promise<Pick<Rejections, "isRejected">>;

  search(query: SearchQuery): Promise<SearchPage>;
}
