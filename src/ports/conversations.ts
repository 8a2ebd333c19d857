/**
 * Who wrote something: the principal and project of the server it came to, the client by its own name, and the
 * conversation that the client says it is. `conversation` is empty if the client names none.
 */
export type ConversationKey = { principal: string; project: string; client: string; conversation: string };

/** Kept beside a thought, outside its hash: it joins the thought to the client's own transcript. */
export type Origin = ConversationKey & { toolUse?: string | undefined };

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
