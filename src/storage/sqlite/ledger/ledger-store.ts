import {
  decideDeletion,
  decideEdit,
  decideReturn,
  decideState,
  toRecord,
} from "../../../domain/ledger/session.ts";
import { search } from "../../../domain/search/search.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { LedgerStore } from "../../../ports/ledger-store.ts";
import type { WithConnection } from "../connection/access.ts";
import { openSqliteSource } from "../search/sqlite-source.ts";
import type { WordIndex } from "../search/word-index.ts";
import { countRequests, readCritiquesInStrides } from "./critiques.ts";
import { createIndexCache } from "./index-cache.ts";
import type { AccessTimes, KnownSessions } from "./known-sessions.ts";
import type { LedgerCommits } from "./ledger-commits.ts";
import { createRejectionCache } from "./rejections.ts";
import { selectIdsByPrefix, selectSessions, selectTrash } from "./session-reads.ts";
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
  return {
    createSession: commits.create,
    async readSession(sessionId) {
      const stored = await find(sessionId);
      const record = stored && toRecord(stored, clock());
      const seen = accessTimes.of(sessionId);
      if (!record || !seen || seen < record.session.lastAccessedAt) return record;
      return { ...record, session: { ...record.session, lastAccessedAt: seen } };
    },
    countByProject: (limit) =>
      read(({ sql }) =>
        sql(
          "SELECT project, sessions FROM project_totals WHERE sessions > 0 ORDER BY sessions DESC, project LIMIT ?",
        )
          .all(limit)
          .map((row) => ({ project: String(row["project"]), sessions: Number(row["sessions"]) })),
      ),
    listSessions: (query) => read((connection) => selectSessions(connection, query, clock())),
    findSessionIds: (query) => read((connection) => selectIdsByPrefix(connection, query)),
    listTrash: (query) => read((connection) => selectTrash(connection, query, clock())),
    async saveState(sessionId, change) {
      const stored = await find(sessionId);
      // Resuming a session then needs no commit, and works on a full disk.
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
  };
}
