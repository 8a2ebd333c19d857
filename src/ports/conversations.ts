import type { ConversationKey, Origin } from "../domain/ledger/requests.ts";

export type { ConversationKey, Origin };

/** The session a conversation works in, and since when. */
export type ActiveSession = { sessionId: string; at: string };

/** The newest thought of a session by one conversation; `key` is undefined if it came through no MCP client. */
export type Writer = { key: ConversationKey | undefined; at: string };

/** What every process of this store knows of the conversations that clients name. */
export interface Conversations {
  find(key: ConversationKey): Promise<ActiveSession | undefined>;
  /** Makes the session the conversation's. Writes nothing if it already is. */
  bind(key: ConversationKey, sessionId: string, at: string): Promise<void>;
  /** Who wrote to the session at or after `since`, the latest first. Looks at the newest 200 thoughts. */
  listWriters(sessionId: string, since: string): Promise<Writer[]>;
}
