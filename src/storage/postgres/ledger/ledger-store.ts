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
import { openPostgresSource } from "../search/postgres-source.ts";
import type { AccessTimes } from "./access-times.ts";
import { countRequests, readCritiques } from "./critiques.ts";
import { createIndexCache } from "./index-cache.ts";
import { loadSessions } from "./known-sessions.ts";
import type { LedgerCommits } from "./ledger-commits.ts";
import { loadRejections } from "./rejections.ts";
import { selectIdsByPrefix, selectSessions, selectTrash } from "./session-reads.ts";
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
  commits: LedgerCommits;
  accessTimes: AccessTimes;
  clock: Clock;
};

export function createLedgerStore({ read, commits, accessTimes, clock }: LedgerStoreParts): LedgerStore {
  const loadIndex = createIndexCache(read);
  const find = async (sessionId: string) => {
    const [found] = await read((connection) => loadSessions(connection, [sessionId]));
    return found?.session.deletedAt === undefined ? found?.session : undefined;
  };
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
      read(async ({ sql }) =>
        (
          await sql(`SELECT project, count(*) AS sessions FROM {sessions} s WHERE deleted_at IS NULL
            GROUP BY project ORDER BY sessions DESC, project LIMIT ?`).all(limit)
        ).map((row) => ({ project: String(row["project"]), sessions: Number(row["sessions"]) })),
      ),
    listSessions: (query) => read((connection) => selectSessions(connection, query, clock())),
    findSessionIds: (query) => read((connection) => selectIdsByPrefix(connection, query)),
    listTrash: (query) => read((connection) => selectTrash(connection, query, clock())),
    async saveState(sessionId, change) {
      const stored = await find(sessionId);
      // Resuming a session then needs no commit, and works while nothing can be written.
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
    search: async (query) => search(await openPostgresSource(read, query, clock()), query, 0),
  };
}
