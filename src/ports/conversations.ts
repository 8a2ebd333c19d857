import type { ConversationKey, Origin } from "../domain/ledger/requests.ts";

export type { ConversationKey, Origin };

/** The session a conversation works in, and since when. */
export type ActiveSession = { sessionId: string; at: string };

/** The newest thought that one conversation added to a session. `key` is undefined if no MCP client sent it. */
export type Writer = { key: ConversationKey | undefined; at: string };

/** A conversation as stored. Without `sessionId`, it has no session. */
export type KnownConversation = ConversationKey & { sessionId?: string | undefined; at: string };

/** Who wrote a thought, found by its session and position. `seq` is the thought's number in this store. */
export type ThoughtOrigin = Origin & { sessionId: string; position: number; seq: number };

/** What every process of this store knows of the conversations that clients name. */
export interface Conversations {
  find(key: ConversationKey): Promise<ActiveSession | undefined>;
  /** Binds the session to the conversation. Writes nothing if it already is. */
  bind(key: ConversationKey, sessionId: string, at: string): Promise<void>;
  /** Who wrote to the session at or after `since`, the latest first. Looks at the newest 200 thoughts. */
  listWriters(sessionId: string, since: string): Promise<Writer[]>;

  /** For moving them to another store: all of them, in a fixed order. */
  list(limit: number, offset: number): Promise<KnownConversation[]>;
  /** Of all sessions, those in the trash too: the first behind that number, in order. */
  listOrigins(after: number, limit: number): Promise<ThoughtOrigin[]>;
  /** In one transaction. Existing entries of the store are kept, and unknown thoughts are skipped. */
  add(
    conversations: readonly KnownConversation[],
    origins: readonly Omit<ThoughtOrigin, "seq">[],
  ): Promise<void>;
}
/** What a client sent when it opened its connection. */
export type ConnectionOpening = {
  protocolVersion: string;
  capabilities: Record<string, unknown>;
  clientInfo: { name: string; version: string };
};

export type StoredConnection = {
  /** Only this caller may use the connection. */
  principal: string;
  opening: ConnectionOpening;
  /** Field by field, for each conversation over the connection. */
  bindings: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** Resources whose changes the client subscribed to. */
  subscriptions: ReadonlySet<string>;
};

/**
 * Connections of clients that opened with `initialize`, by `Mcp-Session-Id`. Servers that share a store share them, so a
 * request may reach any of these servers. Nothing here has a place in the feed. All methods reject while the store is out
 * of reach, and may be repeated.
 */
export interface ConnectionBook {
  open(id: string, connection: Pick<StoredConnection, "principal" | "opening">): Promise<void>;
  /** `undefined` for a connection that was closed, was idle for too long, or never existed. */
  find(id: string): Promise<StoredConnection | undefined>;
  /** Changes the named fields of a binding and keeps the others. `null` removes a field. */
  change(id: string, conversation: string, fields: Readonly<Record<string, unknown>>): Promise<void>;
  subscribe(id: string, uri: string): Promise<void>;
  unsubscribe(id: string, uri: string): Promise<void>;
  /** Of those among these connections that are open. */
  listSubscriptions(ids: readonly string[]): Promise<Map<string, Set<string>>>;
  close(id: string): Promise<void>;
  /** Leaves a message for the server that knows this recipient. */
  post(id: string, recipient: string, message: unknown): Promise<void>;
  /** Takes the messages for these recipients, in no order. Each message is returned once. */
  collect(id: string, recipients: readonly string[]): Promise<unknown[]>;
  /** Marks connections as used, and removes those that were idle for so long. */
  tidy(used: readonly string[], idleMs: number): Promise<void>;
}
