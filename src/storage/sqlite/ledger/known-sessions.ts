import type { ConversationKey } from "../../../domain/ledger/requests.ts";
import type { StoredSession } from "../../../domain/ledger/session.ts";
import { decodeStored, sessionColumns } from "../../rows/ledger-rows.ts";
import type { WithConnection } from "../connection/access.ts";
import type { Database, Row } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";
import { readSequence, type Sequence } from "../connection/sequence.ts";

/** How many sessions are cached. The one that was cached first is evicted first. */
const maxKept = 200;

/** A session, and the number by which rows refer to it. */
export type KnownSession = { sid: number; session: StoredSession };

/** A conversation's number, and the session it works in. */
export type KnownConversation = { cid: number; sessionId: string | undefined };

export type KnownSessions = ReturnType<typeof createKnownSessions>;

/**
 * Caches sessions and the last assigned number until another process writes. SQLite's `data_version` shows when that
 * happens. Writes by this process do not change it, so a caller that writes reports here what it changed.
 */
export function createKnownSessions() {
  const sessions = new Map<string, KnownSession>();
  const conversations = new Map<string, KnownConversation>();
  let sequence: Sequence | undefined;
  let version: unknown;
  let source: Database | undefined;
  /** True if the current transaction has changed sessions. The cache may then contain uncommitted changes. */
  let isChanged = false;

  function forgetWhatOthersChanged({ sql, db }: Connection): void {
    const now = sql("PRAGMA data_version").get()?.["data_version"];
    if (now === version && db === source) return;
    forgetAll();
    [version, source] = [now, db];
  }

  function forgetAll(): void {
    sessions.clear();
    conversations.clear();
    sequence = undefined;
  }

  function keep(known: KnownSession): KnownSession {
    const [oldest] = sessions.keys();
    if (sessions.size >= maxKept && oldest !== undefined && !sessions.has(known.session.id))
      sessions.delete(oldest);
    sessions.set(known.session.id, known);
    return known;
  }

  function keepConversation(name: string, known: KnownConversation): void {
    if (conversations.size >= maxKept) conversations.clear();
    conversations.set(name, known);
  }

  return {
    /**
     * Returns the current sessions. Inside a write, includes changes that the write itself has made. Excludes
     * the trash.
     */
    find(connection: Connection, ids: Iterable<string>): Map<string, KnownSession> {
      forgetWhatOthersChanged(connection);
      const found = new Map<string, KnownSession>();
      const unknown: string[] = [];
      for (const id of ids) {
        const known = sessions.get(id);
        if (known) found.set(id, known);
        else unknown.push(id);
      }
      if (unknown.length > 0)
        for (const known of loadSessions(connection, unknown))
          if (known.session.deletedAt === undefined) found.set(known.session.id, keep(known));
      return found;
    },
    /** Returns the stored conversations under the names in `named`. Call after `find`. */
    findConversations(
      connection: Connection,
      named: ReadonlyMap<string, ConversationKey>,
    ): Map<string, KnownConversation> {
      const found = new Map<string, KnownConversation>();
      for (const [name, key] of named) {
        const known = conversations.get(name) ?? loadConversation(connection, key);
        if (!known) continue;
        found.set(name, known);
        keepConversation(name, known);
      }
      return found;
    },
    keepConversation,
    /** Caches a session. Call inside the write that changed it. */
    keep,
    /** Drops a session from the cache. Call inside the write that changed it, if `keep` is not called. */
    forget(sessionId: string): void {
      isChanged = true;
      sessions.delete(sessionId);
    },
    /** Returns the current sequence. Call inside a write, after `find`, which validates the cache. */
    sequence: (connection: Connection): Sequence => (sequence ??= readSequence(connection)),
    /** Caches the sequence that was reached. Call inside the write that assigned numbers. */
    reach(reached: Sequence): void {
      isChanged = true;
      sequence = reached;
    },
    /** Drops the cached sequence. Call inside every write outside the ledger: they do not call `reach`. */
    forgetSequence(): void {
      sequence = undefined;
    },
    /** Clears the cache. Call inside a write that does not report its changes or was partly rolled back. */
    forgetAll(): void {
      isChanged = true;
      forgetAll();
    },
    committed(): void {
      isChanged = false;
    },
    rolledBack(): void {
      if (isChanged) forgetAll();
      isChanged = false;
      sequence = undefined;
    },
  };
}

/**
 * Loads conversations one by one, because a server has few callers and caches each conversation after its first
 * thought.
 */
function loadConversation({ sql }: Connection, key: ConversationKey): KnownConversation | undefined {
  const row = sql(`SELECT cid, session_id FROM conversations
    WHERE principal = ? AND project = ? AND client = ? AND conversation = ?`).get(
    key.principal,
    key.project,
    key.client,
    key.conversation,
  );
  const sessionId = row?.["session_id"];
  return row && { cid: Number(row["cid"]), sessionId: sessionId == null ? undefined : String(sessionId) };
}

/** Loads sessions by ID, including those in the trash. */
export function loadSessions({ sql }: Connection, ids: readonly string[]): KnownSession[] {
  const [only] = ids;
  const select = `SELECT ${sessionColumns} FROM sessions s WHERE s.id`;
  const rows =
    ids.length === 1 && only !== undefined
      ? sql(`${select} = ?`).all(only)
      : sql(`${select} IN (SELECT value FROM json_each(?))`).all(JSON.stringify(ids));
  return rows.map(decodeKnown);
}

const decodeKnown = (row: Row): KnownSession => ({ sid: Number(row["sid"]), session: decodeStored(row) });

const lazyMs = 1_000;

export type AccessTimes = ReturnType<typeof createAccessTimes>;

/** Collects access times and writes them with the next commit or, after a delay, in a separate one. */
export function createAccessTimes(submit: WithConnection, sessions: KnownSessions) {
  const seen = new Map<string, string>();
  /** The access times that the current transaction writes. */
  const written = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;

  function writeDown(connection: Connection): void {
    if (seen.size === 0) return;
    const update = connection.sql(
      "UPDATE sessions SET last_accessed_at = max(last_accessed_at, ?) WHERE id = ?",
    );
    for (const [sessionId, at] of seen) {
      if (written.get(sessionId) === at) continue;
      update.run(at, sessionId);
      sessions.forget(sessionId);
      written.set(sessionId, at);
    }
  }

  async function flush(): Promise<void> {
    timer = undefined;
    if (seen.size > 0) await submit(writeDown).catch(() => seen.clear());
  }

  return {
    touch(sessionId: string, at: string): void {
      if (at > (seen.get(sessionId) ?? "")) seen.set(sessionId, at);
      timer ??= setTimeout(() => void flush(), lazyMs).unref();
    },
    /** Returns the session's access time if it has not yet been committed. */
    of: (sessionId: string): string | undefined => seen.get(sessionId),
    /** Writes the collected times. Call inside a write. */
    writeDown,
    committed(): void {
      for (const [sessionId, at] of written) if (seen.get(sessionId) === at) seen.delete(sessionId);
      written.clear();
    },
    /** Keeps the times, so that a later commit writes them. */
    rolledBack: (): void => written.clear(),
    flush,
    stop: (): void => clearTimeout(timer),
  };
}
