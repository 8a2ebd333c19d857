import type { ConversationKey, Origin } from "../domain/ledger/requests.ts";

export type { ConversationKey, Origin };

/** The session a conversation works in, and since when. */
export type ActiveSession = { sessionId: string; at: string };

/** The newest thought of a session by one conversation; `key` is undefined if it came through no MCP client. */
export type Writer = { key: ConversationKey | undefined; at: string };

/** A conversation as it is stored. Without `sessionId` its client names none. */
export type KnownConversation = ConversationKey & { sessionId?: string | undefined; at: string };

/** Who wrote a thought, found by its session and position. `seq` is the thought's number in this store. */
export type ThoughtOrigin = Origin & { sessionId: string; position: number; seq: number };

/** What every process of this store knows of the conversations that clients name. */
export interface Conversations {
  find(key: ConversationKey): Promise<ActiveSession | undefined>;
  /** Makes the session the conversation's. Writes nothing if it already is. */
  bind(key: ConversationKey, sessionId: string, at: string): Promise<void>;
  /** Who wrote to the session at or after `since`, the latest first. Looks at the newest 200 thoughts. */
  listWriters(sessionId: string, since: string): Promise<Writer[]>;

  /** For moving them to another store: all of them, in a fixed order. */
  list(limit: number, offset: number): Promise<KnownConversation[]>;
  /** Of all sessions, those in the trash too: the first behind that number, in order. */
  listOrigins(after: number, limit: number): Promise<ThoughtOrigin[]>;
  /** In one transaction. What the store knows already stands, and thoughts that it does not have are passed over. */
  add(
    conversations: readonly KnownConversation[],
    origins: readonly Omit<ThoughtOrigin, "seq">[],
  ): Promise<void>;
}
