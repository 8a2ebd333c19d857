import { ledgerFailure } from "../../../domain/ledger/failures.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { LedgerStore } from "../../../ports/ledger-store.ts";
import type { WithConnection } from "../connection/access.ts";
import { searchLedger } from "../search/search-ledger.ts";
import type { WordIndex } from "../search/word-index.ts";
import type { AccessTimes } from "./access-times.ts";
import type { AppendRun } from "./append-thought.ts";
import { countRequests, insertCritique, readCritiquesInStrides } from "./critiques.ts";
import { createIndexCache } from "./index-cache.ts";
import type { KnownSessions } from "./known-sessions.ts";
import { findOpening, openByThought, wasOpened } from "./open-by-thought.ts";
import { createRejectionCache } from "./rejections.ts";
import { decodeSession } from "./rows.ts";
import { editSession, trashSession, untrashSession } from "./session-edits.ts";
import { selectIdsByPrefix, selectSession, selectSessions, selectTrash } from "./session-reads.ts";
import { holdsState, insertSession, updateState } from "./session-writes.ts";
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
  write: WithConnection;
  /** For appends only: those that follow each other share what is kept in RAM. */
  writeInRun: WithConnection;
  appends: AppendRun;
  sessions: KnownSessions;
  words: WordIndex;
  accessTimes: AccessTimes;
  clock: Clock;
};

export function createLedgerStore(parts: LedgerStoreParts): LedgerStore {
  const { read, write, writeInRun, appends, sessions, words, accessTimes, clock } = parts;
  const loadIndex = createIndexCache(read);
  const loadRejections = createRejectionCache(read);
  return {
    createSession: (draft) =>
      write((connection) => {
        const record = selectSession(connection, insertSession(connection, draft), clock());
        if (record) return record;
        throw ledgerFailure("session_of_key_deleted", {});
      }),
    readSession: (sessionId) =>
      read((connection) => {
        const row = sessions.find(connection, sessionId);
        const record = row && decodeSession(row, clock());
        const seen = accessTimes.of(sessionId);
        if (!record || !seen || seen < record.session.lastAccessedAt) return record;
        return { ...record, session: { ...record.session, lastAccessedAt: seen } };
      }),
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
      if (await read((connection) => holdsState(connection, sessionId, change))) return;
      await write((connection) => updateState(connection, sessionId, change, clock().toISOString()));
    },
    updateSession: (sessionId, edit, at) =>
      write((connection) => editSession(connection, sessionId, edit, at)),
    deleteSession: (sessionId, at) => write((connection) => trashSession(connection, sessionId, at)),
    restoreSession: (sessionId, at, onlyProject) =>
      write((connection) => untrashSession(connection, sessionId, at, onlyProject)),
    touch: accessTimes.touch,

    async append(request) {
      const { opens, again } = request;
      const earlier =
        again && !opens && (await read((connection) => wasOpened(connection, again)))
          ? await write((connection) => findOpening(connection, appends, again, clock()))
          : undefined;
      const receipt =
        earlier ??
        (opens
          ? await write((connection) => openByThought(connection, appends, request, opens, clock()))
          : await writeInRun((connection) => appends.append(connection, request)));
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
    attachCritique: (request) => write((connection) => insertCritique(connection, request)),
    readCritiqueChain: (sessionId, page) => readCritiquesInStrides(read, sessionId, page),
    countCritiqueRequests: (sessionId) => read((connection) => countRequests(connection, sessionId)),
    loadIndex,
    loadRejections,

    async search(query) {
      const unindexed = await words.catchUp();
      return searchLedger(read, query, unindexed, clock());
    },
  };
}
