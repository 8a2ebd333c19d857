import type { ConversationKey } from "../../../domain/ledger/requests.ts";
import type { StoredSession } from "../../../domain/ledger/session.ts";
import { decodeStored, sessionColumns } from "../../rows/ledger-rows.ts";
import type { WithConnection } from "../connection/access.ts";
import type { Database, Row } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";
import { readSequence, type Sequence } from "../connection/sequence.ts";

/** Sessions that are kept; the one that was read first goes first. */
const maxKept = 200;

/** A session, and the number by which its rows refer to it. */
export type KnownSession = { sid: number; session: StoredSession };

/** A conversation by its number, and the session it works in. */
export type KnownConversation = { cid: number; sessionId: string | undefined };

export type KnownSessions = ReturnType<typeof createKnownSessions>;

/**
 * Sessions, and the last number given out, kept while no one else has written: SQLite tells by
 * `data_version`, as it does for its own pages. Our own writes do not change that number, so a caller that writes
 * says here what it changed.
 */
export function createKnownSessions() {
  const sessions = new Map<string, KnownSession>();
  const conversations = new Map<string, KnownConversation>();
  let sequence: Sequence | undefined;
  let version: unknown;
  let source: Database | undefined;

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
    /** As they are now; inside a write as that write finds them. Not those in the trash. */
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
    /** Call after `find`. By `conversationOf`. */
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
    /** Call inside the write that has changed it. */
    keep,
    forget: (sessionId: string): void => void sessions.delete(sessionId),
    /** Call inside a write, after `find`, which checks that the cache is still valid. */
    sequence: (connection: Connection): Sequence => (sequence ??= readSequence(connection)),
    /** Call inside the write that has given out numbers. */
    reach(reached: Sequence): void {
      sequence = reached;
    },
    /** Call inside a write of this process that assigns numbers without `reach`: every write but those of the ledger. */
    forgetSequence(): void {
      sequence = undefined;
    },
    /** After a write that was taken back, and after one that does not say what it changed. */
    forgetAll,
  };
}

/** One by one: a server has few callers, and knows them after their first thought. */
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

/** Those in the trash too. */
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

/** When sessions were last looked at. Rides along with the next commit, or goes with a lazy one. */
export function createAccessTimes(submit: WithConnection, sessions: KnownSessions) {
  const seen = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;

  function writeDown(connection: Connection): void {
    if (seen.size === 0) return;
    const update = connection.sql(
      "UPDATE sessions SET last_accessed_at = max(last_accessed_at, ?) WHERE id = ?",
    );
    for (const [sessionId, at] of seen) {
      update.run(at, sessionId);
      sessions.forget(sessionId);
    }
    seen.clear();
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
    /** Of a session that was looked at since the last commit. */
    of: (sessionId: string): string | undefined => seen.get(sessionId),
    /** Call inside a write. */
    writeDown,
    flush,
    stop: (): void => clearTimeout(timer),
  };
}
