import type { Clock } from "../../kernel/clock.ts";
import type { LedgerFeed } from "../../ports/feed.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import { appendThought } from "./append-thought.ts";
import { createCommitQueue } from "./commit-queue.ts";
import { createFeed } from "./feed.ts";
import { type Connection, type Location, openDatabase } from "./open-database.ts";
import { selectSession, selectSessions } from "./session-reads.ts";
import { insertSession, updateAccessTime, updateState } from "./session-writes.ts";
import { toStorageError } from "./sqlite-errors.ts";
import { createIndexCache, selectEntries, selectHead, selectThoughts } from "./thought-reads.ts";
import { searchLedger } from "./thought-search.ts";
import { createWordIndex } from "./word-index.ts";

/** Nothing is opened, created or locked before the first call: a probing client leaves no trace. */
export function createSqliteLedger(location: Location, clock: Clock): LedgerStore & LedgerFeed {
  let open: Connection | undefined;
  const connect = (): Connection => {
    open ??= openDatabase(location);
    return open;
  };
  const queue = createCommitQueue(connect);
  const words = createWordIndex(queue, connect);
  const indexOf = createIndexCache();
  const touched = new Map<string, string>();

  async function read<Result>(select: (connection: Connection) => Result): Promise<Result> {
    try {
      return select(connect());
    } catch (thrown) {
      throw toStorageError(thrown);
    }
  }

  /** Access times ride along with the next commit, or go with a lazy one. */
  function flushTouched(connection: Connection): void {
    for (const [sessionId, at] of touched) updateAccessTime(connection, sessionId, at);
    touched.clear();
  }

  const { feed, noteOwnCommit, stop: stopFeed } = createFeed(read);

  async function write<Result>(change: (connection: Connection) => Result): Promise<Result> {
    const result = await queue.submit((connection) => {
      const changed = change(connection);
      flushTouched(connection);
      return changed;
    });
    noteOwnCommit();
    return result;
  }

  return {
    ...feed,
    async createSession(draft) {
      const id = await write((connection) => insertSession(connection, draft));
      const record = await read((connection) => selectSession(connection, id, clock()));
      if (!record) throw toStorageError(new Error("the session vanished after it was created"));
      return record;
    },
    readSession: (sessionId) =>
      read((connection) => {
        const record = selectSession(connection, sessionId, clock());
        const seen = touched.get(sessionId);
        if (!record || !seen || seen < record.session.lastAccessedAt) return record;
        return { ...record, session: { ...record.session, lastAccessedAt: seen } };
      }),
    listSessions: (query) => read((connection) => selectSessions(connection, query, clock())),
    saveState: (sessionId, change) => write((connection) => updateState(connection, sessionId, change)),
    touch(sessionId, at) {
      const lazy = touched.size === 0;
      touched.set(sessionId, at);
      if (lazy) setTimeout(() => void queue.submit(flushTouched).catch(() => touched.clear()), 1_000).unref();
    },

    async append(request) {
      const receipt = await write((connection) => appendThought(connection, request));
      words.later();
      return receipt;
    },
    readThoughts: (sessionId, selection) =>
      read((connection) => selectThoughts(connection, sessionId, selection)),
    readEntries: (sessionId, after, limit) =>
      read((connection) => selectEntries(connection, sessionId, after, limit)),
    readHead: (sessionId) => read((connection) => selectHead(connection, sessionId)),
    loadIndex: (sessionId) => read((connection) => indexOf(connection, sessionId)),

    async search(query) {
      const unindexed = await read(() => words.catchUp());
      return read((connection) => searchLedger(connection, query, unindexed, clock()));
    },

    async close() {
      words.stop();
      stopFeed();
      if (open && touched.size > 0) await queue.submit(flushTouched).catch(() => touched.clear());
      await queue.settled();
      open?.db.close();
      open = undefined;
    },
  };
}
