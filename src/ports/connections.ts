/** What a client said when it opened its connection. */
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
  /** Resources whose changes the client wants to hear of. */
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
