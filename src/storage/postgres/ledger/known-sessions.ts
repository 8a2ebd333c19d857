import type { ConversationKey } from "../../../domain/ledger/requests.ts";
import type { StoredSession } from "../../../domain/ledger/session.ts";
import { decodeStored, sessionColumns } from "../../rows/ledger-rows.ts";
import type { Row } from "../../rows/row.ts";
import type { Connection, WithWrite, WriteConnection } from "../connection/access.ts";

/** The maximum number of cached sessions. The one that was cached first is evicted first. */
const maxKept = 200;

/** A session, and the number by which rows refer to it. */
export type KnownSession = { sid: number; session: StoredSession };

/** A conversation's number, and the session it works in. */
export type KnownConversation = { cid: number; sessionId: string | undefined };

export type KnownSessions = ReturnType<typeof createKnownSessions>;

/**
 * Caches sessions, which stay valid until another server writes. The tenant's row shows such writes, because
 * it counts the commits of all servers. `recall` may still return outdated sessions (0225).
 */
export function createKnownSessions() {
  const sessions = new Map<string, KnownSession & { since: number }>();
  const conversations = new Map<string, KnownConversation>();
  let version: number | undefined;
  /** The number of times that the whole cache has been invalidated. */
  let forgotten = 0;
  /** True if the current transaction has changed sessions. Cached sessions may then contain uncommitted changes. */
  let isChanged = false;

  function forgetAll(): void {
    forgotten += 1;
    conversations.clear();
  }

  function keep({ sid, session }: KnownSession): KnownSession {
    const [oldest] = sessions.keys();
    if (sessions.size >= maxKept && oldest !== undefined && !sessions.has(session.id))
      sessions.delete(oldest);
    const known = { sid, session, since: forgotten };
    sessions.set(session.id, known);
    return known;
  }

  function keepConversation(name: string, known: KnownConversation): void {
    if (conversations.size >= maxKept) conversations.clear();
    conversations.set(name, known);
  }

  return {
    /** Invalidates the cache if another server has written. Call inside a write, before anything else. */
    refresh(connection: WriteConnection): void {
      if (connection.version !== version) forgetAll();
      version = connection.version;
    },
    /**
     * Call after a commit, with the version that it reached. Invalidates the cache if another server may have
     * written before it, because the transaction did not call `refresh`.
     */
    committed(reached: number): void {
      if (version !== reached - 1) forgetAll();
      isChanged = false;
      version = reached;
    },
    /** Call if every call was refused. Invalidates the cache if the transaction changed sessions. */
    refused(): void {
      if (isChanged) forgetAll();
      isChanged = false;
    },
    rolledBack(): void {
      forgetAll();
      isChanged = false;
    },
    /** Returns the current sessions, including changes that the write itself has made. Excludes the trash. */
    async find(connection: WriteConnection, ids: Iterable<string>): Promise<Map<string, KnownSession>> {
      const found = new Map<string, KnownSession>();
      const unknown: string[] = [];
      for (const id of ids) {
        const known = sessions.get(id);
        if (known?.since === forgotten) found.set(id, known);
        else unknown.push(id);
      }
      if (unknown.length === 0) return found;
      const loaded = await loadSessions(connection, unknown);
      // Removed only now, so that `recall` could return outdated sessions during the load.
      for (const id of unknown) sessions.delete(id);
      for (const known of loaded)
        if (known.session.deletedAt === undefined) found.set(known.session.id, keep(known));
      return found;
    },
    /** Returns the conversations that exist, by the key that `conversationOf` returns. */
    async findConversations(
      connection: WriteConnection,
      named: ReadonlyMap<string, ConversationKey>,
    ): Promise<Map<string, KnownConversation>> {
      const found = new Map<string, KnownConversation>();
      const all = [...named].map(async ([name, key]) => {
        const known = conversations.get(name) ?? (await loadConversation(connection, key));
        if (known) found.set(name, known);
      });
      await Promise.all(all);
      for (const [name, known] of found) keepConversation(name, known);
      return found;
    },
    keepConversation(name: string, known: KnownConversation): void {
      isChanged = true;
      keepConversation(name, known);
    },
    /** Returns the session as this server last saw it. Another server may have changed it since then. */
    recall: (sessionId: string): StoredSession | undefined => sessions.get(sessionId)?.session,
    /** Caches a changed session. Call inside the write that changed it. */
    keep(known: KnownSession): void {
      isChanged = true;
      keep(known);
    },
    /** Removes a session from the cache. Call inside the write that changed it, unless that write calls `keep`. */
    forget(sessionId: string): void {
      isChanged = true;
      sessions.delete(sessionId);
    },
    /** Invalidates the cache. Call inside a write that does not report its changes or was partly rolled back. */
    forgetAll(): void {
      isChanged = true;
      forgetAll();
    },
  };
}

async function loadConversation(
  { sql }: Connection,
  key: ConversationKey,
): Promise<KnownConversation | undefined> {
  const row = await sql(`SELECT cid, session_id FROM {conversations} c
    WHERE principal = ? AND project = ? AND client = ? AND conversation = ?`).get(
    ...[key.principal, key.project, key.client, key.conversation],
  );
  const sessionId = row?.["session_id"];
  return row && { cid: Number(row["cid"]), sessionId: sessionId == null ? undefined : String(sessionId) };
}

/** Loads sessions, including those in the trash. */
export async function loadSessions({ sql }: Connection, ids: readonly string[]): Promise<KnownSession[]> {
  const rows = await sql(`SELECT ${sessionColumns} FROM {sessions} s WHERE s.id = ANY (?::text[])`).all(ids);
  return rows.map((row: Row) => ({ sid: Number(row["sid"]), session: decodeStored(row) }));
}

const lazyMs = 1_000;

export type AccessTimes = ReturnType<typeof createAccessTimes>;

/** Collects access times of sessions. Writes them with the next commit, or after a delay in a separate one. */
export function createAccessTimes(submit: WithWrite, sessions: KnownSessions) {
  const seen = new Map<string, string>();
  /** The access times that the current transaction writes. */
  const written = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;

  function writeDown({ sql, send }: WriteConnection): void {
    const times = [...seen].filter(([sessionId, at]) => written.get(sessionId) !== at);
    if (times.length === 0) return;
    send(
      sql(`UPDATE sessions s SET last_accessed_at = greatest(s.last_accessed_at, u.at)
        FROM unnest(?::text[], ?::text[]) u (id, at) WHERE s.tenant = @tenant AND s.id = u.id`).run(
        times.map(([sessionId]) => sessionId),
        times.map(([, at]) => at),
      ),
    );
    for (const [sessionId, at] of times) {
      sessions.forget(sessionId);
      written.set(sessionId, at);
    }
  }

  async function flush(): Promise<void> {
    timer = undefined;
    if (seen.size > 0) await submit(async (connection) => writeDown(connection)).catch(() => seen.clear());
  }

  return {
    touch(sessionId: string, at: string): void {
      if (at > (seen.get(sessionId) ?? "")) seen.set(sessionId, at);
      timer ??= setTimeout(() => void flush(), lazyMs).unref();
    },
    /** Returns a session's access time if it has not yet been committed. */
    of: (sessionId: string): string | undefined => seen.get(sessionId),
    /** Writes the collected times. Call inside a write. */
    writeDown,
    committed(): void {
      for (const [sessionId, at] of written) if (seen.get(sessionId) === at) seen.delete(sessionId);
      written.clear();
    },
    /** Call after a rollback. The access times are then written with a later commit. */
    rolledBack: (): void => written.clear(),
    flush,
    stop: (): void => clearTimeout(timer),
  };
}
