import type { Clock } from "../../kernel/clock.ts";
import { ThoughtboxError } from "../../kernel/errors.ts";
import type { LedgerFeed } from "../../ports/feed.ts";
import type { KnowledgeStore } from "../../ports/knowledge-store.ts";
import type { LedgerImport } from "../../ports/ledger-import.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import type { MemoryDump } from "../../ports/memory/memory-dump.ts";
import type { MemoryStore } from "../../ports/memory/memory-store.ts";
import type { MemoryUpkeep } from "../../ports/memory/memory-upkeep.ts";
import type { ProjectionBook } from "../../ports/projection-book.ts";
import type { LedgerUpkeep } from "../../ports/upkeep.ts";
import { createCommitQueue } from "./connection/commit-queue.ts";
import { createConnector } from "./connection/connector.ts";
import type { Connection, Location } from "./connection/open-database.ts";
import { pause } from "./connection/pause.ts";
import { isBusy, toStorageError } from "./connection/sqlite-errors.ts";
import { createAppendRun } from "./ledger/append-thought.ts";
import { countRequests, insertCritique, selectCritiqueChain } from "./ledger/critiques.ts";
import { importParts } from "./ledger/import-parts.ts";
import { createKnowledgeStore } from "./ledger/knowledge-store.ts";
import { editSession, trashSession, untrashSession } from "./ledger/session-edits.ts";
import { selectSession, selectSessions } from "./ledger/session-reads.ts";
import { holdsState, insertSession, updateAccessTime, updateState } from "./ledger/session-writes.ts";
import {
  createIndexCache,
  selectEntries,
  selectHead,
  selectLatest,
  selectThoughts,
} from "./ledger/thought-reads.ts";
import { createMemoryDump } from "./memory/dump/dump-memory.ts";
import { createMemoryStore } from "./memory/memory-store.ts";
import { createFeed } from "./projection/feed.ts";
import { createProjectionBook } from "./projection/projection-book.ts";
import { searchLedger } from "./search/thought-search.ts";
import { createWordIndex } from "./search/word-index.ts";
import { graphWords, thoughtWords } from "./search/word-sources.ts";
import { createUpkeep } from "./upkeep/upkeep.ts";

const readGivesUpAfterMs = 5_000;
const lazyTouchMs = 1_000;

/**
 * Nothing is opened, created or locked before the first call: a probing client leaves no trace. `onNewStore` is called
 * when that call finds no store and makes one; it must not throw.
 */
export function createSqliteLedger(
  location: Location,
  clock: Clock,
  onNewStore: () => void = () => {},
): LedgerStore &
  LedgerFeed &
  KnowledgeStore &
  ProjectionBook &
  LedgerImport &
  LedgerUpkeep & { memory: MemoryStore & MemoryDump & MemoryUpkeep } {
  const connector = createConnector(location, onNewStore);
  const appends = createAppendRun();
  const queue = createCommitQueue(connector.toWrite, appends);
  const words = createWordIndex(queue, read, thoughtWords);
  const memoryWords = createWordIndex(queue, read, graphWords);
  const indexOf = createIndexCache();
  const touched = new Map<string, string>();
  let lazyFlush: NodeJS.Timeout | undefined;

  /** Readers need no lock, except for the moment in which another process repairs the log of one that was killed. */
  async function read<Result>(select: (connection: Connection) => Result): Promise<Result> {
    const deadline = performance.now() + readGivesUpAfterMs;
    for (;;) {
      try {
        return select(connector.toRead());
      } catch (thrown) {
        if (!isBusy(thrown) || performance.now() > deadline) throw toStorageError(thrown);
        await pause();
      }
    }
  }

  /** Access times ride along with the next commit, or go with a lazy one. */
  function flushTouched(connection: Connection): void {
    for (const [sessionId, at] of touched) updateAccessTime(connection, sessionId, at);
    touched.clear();
  }

  async function flushLater(): Promise<void> {
    lazyFlush = undefined;
    if (touched.size > 0) await queue.submit(flushTouched).catch(() => touched.clear());
  }

  const { feed, noteOwnCommit, stop: stopFeed } = createFeed(read);

  async function write<Result>(change: (connection: Connection) => Result, ofRun = false): Promise<Result> {
    const result = await queue.submit((connection) => {
      const changed = change(connection);
      flushTouched(connection);
      return changed;
    }, ofRun);
    noteOwnCommit();
    return result;
  }

  return {
    ...feed,
    memory: {
      ...createMemoryStore(read, write, memoryWords),
      ...createMemoryDump(location, read, write, memoryWords),
    },
    ...createKnowledgeStore(read, write),
    ...createProjectionBook(read, queue.submit),
    ...createUpkeep(read, write, async (tell) => {
      const thoughts = await read(thoughtWords.countPending);
      const nodes = await memoryWords.catchUp((remaining) => tell(remaining + thoughts));
      return nodes + (await words.catchUp((remaining) => tell(remaining + nodes)));
    }),
    async importParts(parts) {
      const outcomes = await write((connection) => importParts(connection, parts));
      words.later();
      return outcomes;
    },
    createSession: (draft) =>
      write((connection) => {
        const record = selectSession(connection, insertSession(connection, draft), clock());
        if (record) return record;
        throw new ThoughtboxError("SESSION_NOT_FOUND", "The session of this idempotencyKey was deleted.");
      }),
    readSession: (sessionId) =>
      read((connection) => {
        const record = selectSession(connection, sessionId, clock());
        const seen = touched.get(sessionId);
        if (!record || !seen || seen < record.session.lastAccessedAt) return record;
        return { ...record, session: { ...record.session, lastAccessedAt: seen } };
      }),
    listSessions: (query) => read((connection) => selectSessions(connection, query, clock())),
    async saveState(sessionId, change) {
      if (await read((connection) => holdsState(connection, sessionId, change))) return;
      await write((connection) => updateState(connection, sessionId, change, clock().toISOString()));
    },
    updateSession: (sessionId, edit, at) =>
      write((connection) => editSession(connection, sessionId, edit, at)),
    deleteSession: (sessionId, at) => write((connection) => trashSession(connection, sessionId, at)),
    restoreSession: (sessionId, at) => write((connection) => untrashSession(connection, sessionId, at)),
    touch(sessionId, at) {
      if (at > (touched.get(sessionId) ?? "")) touched.set(sessionId, at);
      lazyFlush ??= setTimeout(() => void flushLater(), lazyTouchMs).unref();
    },

    async append(request) {
      const receipt = await write((connection) => appends.append(connection, request), true);
      words.later();
      return receipt;
    },
    readThoughts: (sessionId, selection) =>
      read((connection) => selectThoughts(connection, sessionId, selection)),
    readEntries: (sessionId, after, limit) =>
      read((connection) => selectEntries(connection, sessionId, after, limit)),
    readLatest: (sessionId, beforeSeq, limit) =>
      read((connection) => selectLatest(connection, sessionId, beforeSeq, limit)),
    readHead: (sessionId) => read((connection) => selectHead(connection, sessionId)),
    attachCritique: (request) => write((connection) => insertCritique(connection, request)),
    readCritiqueChain: (sessionId) => read((connection) => selectCritiqueChain(connection, sessionId)),
    countCritiqueRequests: (sessionId) => read((connection) => countRequests(connection, sessionId)),
    loadIndex: (sessionId) => read((connection) => indexOf(connection, sessionId)),

    async search(query) {
      const unindexed = await words.catchUp();
      return read((connection) => searchLedger(connection, query, unindexed, clock()));
    },

    async close() {
      words.stop();
      memoryWords.stop();
      stopFeed();
      clearTimeout(lazyFlush);
      const flushed = connector.isOpen() ? flushLater() : undefined;
      await queue.finish();
      await flushed;
      connector.close();
    },
  };
}
