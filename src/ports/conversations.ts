import type { ConversationKey, Origin } from "../domain/ledger/requests.ts";

export type { ConversationKey, Origin };

/** The session that a conversation works in, and when it started working there. */
export type ActiveSession = { sessionId: string; at: string };

/**
 * The time of the newest thought that a conversation added to a session. `key` is `undefined` if no MCP client sent the
 * thought.
 */
export type Writer = { key: ConversationKey | undefined; at: string };

/** A stored conversation. If `sessionId` is missing, the conversation has no session. */
export type KnownConversation = ConversationKey & { sessionId?: string | undefined; at: string };

/** The writer of the thought at `position` in a session. `seq` is the thought's number in this store. */
export type ThoughtOrigin = Origin & { sessionId: string; position: number; seq: number };

/** Stores the conversations that clients have reported. Every process that uses this store shares them. */
export interface Conversations {
  find(key: ConversationKey): Promise<ActiveSession | undefined>;
  /** Binds the session to the conversation. Writes nothing if the session is already bound to it. */
  bind(key: ConversationKey, sessionId: string, at: string): Promise<void>;
  /**
   * Lists who wrote to the session at or after `since`, latest first. Considers only the newest 200 thoughts.
   */
  listWriters(sessionId: string, since: string): Promise<Writer[]>;

  /** Lists all conversations in a fixed order, so that they can be moved to another store. */
  list(limit: number, offset: number): Promise<KnownConversation[]>;
  /**
   * Lists the next origins with a `seq` above `after`, in order, for all sessions including those in the
   * trash.
   */
  listOrigins(after: number, limit: number): Promise<ThoughtOrigin[]>;
  /** Adds conversations and origins in one transaction. Keeps existing entries and skips unknown thoughts. */
  add(
    conversations: readonly KnownConversation[],
    origins: readonly Omit<ThoughtOrigin, "seq">[],
  ): Promise<void>;
}
/** What a client sent when it opened a connection. */
export type ConnectionOpening = {
  protocolVersion: string;
  capabilities: Record<string, unknown>;
  clientInfo: { name: string; version: string };
};

export type StoredConnection = {
  /** Only this caller may use the connection. */
  principal: string;
  opening: ConnectionOpening;
  /** The stored fields of each conversation on this connection. */
  bindings: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** Resources whose changes the client subscribed to. */
  subscriptions: ReadonlySet<string>;
};

/**
 * Stores the connections that clients opened with `initialize`, by `Mcp-Session-Id`. Servers that share a
 * store also share these connections, so a request may reach any of these servers. Connections do not appear
 * in the feed. All methods reject while the store is unreachable, and can be retried.
 */
export interface ConnectionBook {
  open(id: string, connection: Pick<StoredConnection, "principal" | "opening">): Promise<void>;
  /** Returns `undefined` for a connection that was closed, was idle for too long, or never existed. */
  find(id: string): Promise<StoredConnection | undefined>;
  /** Changes the given fields of a binding and keeps the others. `null` removes a field. */
  change(id: string, conversation: string, fields: Readonly<Record<string, unknown>>): Promise<void>;
  subscribe(id: string, uri: string): Promise<void>;
  unsubscribe(id: string, uri: string): Promise<void>;
  /** Returns what each connection subscribed to. Omits connections that are closed. */
  listSubscriptions(ids: readonly string[]): Promise<Map<string, Set<string>>>;
  close(id: string): Promise<void>;
  /** Stores a message until a server collects it for this recipient. */
  post(id: string, recipient: string, message: unknown): Promise<void>;
  /** Takes the messages for these recipients, in no particular order. Each message is returned once. */
  collect(id: string, recipients: readonly string[]): Promise<unknown[]>;
  /** Marks connections as used, and removes those that have been idle for `idleMs`. */
  tidy(used: readonly string[], idleMs: number): Promise<void>;
}
