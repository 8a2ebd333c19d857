import type { ConversationKey } from "../../../domain/ledger/requests.ts";
import type { StoredSession } from "../../../domain/ledger/session.ts";
import { decodeStored, sessionColumns } from "../../rows/ledger-rows.ts";
import type { Row } from "../../rows/row.ts";
import type { Connection, WriteConnection } from "../connection/access.ts";

/** Sessions that are kept; the one that was read first goes first. */
const maxKept = 200;

/** A session, and the number by which its rows refer to it. */
export type KnownSession = { sid: number; session: StoredSession };

/** A conversation by its number, and the session it works in. */
export type KnownConversation = { cid: number; sessionId: string | undefined };

export type KnownSessions = ReturnType<typeof createKnownSessions>;

/**
 * Cached sessions, valid while no other server has written: the tenant's row counts the commits of all
 * servers. What was valid once can still be recalled (0225).
 */
export function createKnownSessions() {
  const sessions = new Map<string, KnownSession & { since: number }>();
  const conversations = new Map<string, KnownConversation>();
  let version: number | undefined;
  /** Counts how often everything was forgotten. */
  let forgotten = 0;

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
    /** Call inside a write, before anything else: what others have changed is forgotten. */
    refresh(connection: WriteConnection): void {
      if (connection.version !== version) forgetAll();
      version = connection.version;
    },
    /** Call after the commit, which has counted on. */
    committed(reached: number): void {
      version = reached;
    },
    /** As the write finds them. Not those in the trash. */
    async find(connection: WriteConnection, ids: Iterable<string>): Promise<Map<string, KnownSession>> {
      const found = new Map<string, KnownSession>();
      const unknown: string[] = [];
      for (const id of ids) {
        const known = sessions.get(id);
        if (known?.since === forgotten) found.set(id, known);
        else unknown.push(id);
      }
      for (const id of unknown) sessions.delete(id);
      if (unknown.length > 0)
        for (const known of await loadSessions(connection, unknown))
          if (known.session.deletedAt === undefined) found.set(known.session.id, keep(known));
      return found;
    },
    /** By `conversationOf`. */
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
    keepConversation,
    /** As this server saw it last. Another one may have changed it. */
    recall: (sessionId: string): StoredSession | undefined => sessions.get(sessionId)?.session,
    /** Call inside the write that has changed it. */
    keep,
    forget: (sessionId: string): void => void sessions.delete(sessionId),
    /** After a write that was taken back, and after one that does not say what it changed. */
    forgetAll,
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

/** Those in the trash too. */
export async function loadSessions({ sql }: Connection, ids: readonly string[]): Promise<KnownSession[]> {
  const rows = await sql(`SELECT ${sessionColumns} FROM {sessions} s WHERE s.id = ANY (?::text[])`).all(ids);
  return rows.map((row: Row) => ({ sid: Number(row["sid"]), session: decodeStored(row) }));
}
