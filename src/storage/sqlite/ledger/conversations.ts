import type {
  ActiveSession,
  ConversationKey,
  Conversations,
  KnownConversation,
  ThoughtOrigin,
  Writer,
} from "../../../ports/conversations.ts";
import type { WithConnection } from "../connection/access.ts";
import type { Row } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";

/** The maximum number of a session's newest thoughts to read. Callers ask only about the last few minutes. */
const newestThoughts = 200;

const isKey = "principal = ? AND project = ? AND client = ? AND conversation = ?";

const keyColumns = "c.principal, c.project, c.client, c.conversation";

const valuesOf = ({ principal, project, client, conversation }: ConversationKey) =>
  [principal, project, client, conversation] as const;

export function createConversations(read: WithConnection, write: WithConnection): Conversations {
  return {
    find: (key) => read((connection) => findActive(connection, key)),
    async bind(key, sessionId, at) {
      const active = await read((connection) => findActive(connection, key));
      if (active?.sessionId !== sessionId)
        await write((connection) => writeConversation(connection, key, sessionId, at));
    },
    listWriters: (sessionId, since) => read((connection) => selectWriters(connection, sessionId, since)),
    list: (limit, offset) =>
      read(({ sql }) =>
        sql(`SELECT ${keyColumns}, c.session_id, c.at FROM conversations c
             ORDER BY c.principal, c.project, c.client, c.conversation LIMIT ? OFFSET ?`)
          .all(limit, offset)
          .map((row) => ({
            ...toKey(row),
            ...(row["session_id"] !== null && { sessionId: String(row["session_id"]) }),
            at: String(row["at"]),
          })),
      ),
    listOrigins: (after, limit) => read((connection) => selectOrigins(connection, after, limit)),
    add: (conversations, origins) => write((connection) => addAll(connection, conversations, origins)),
  };
}

function findActive({ sql }: Connection, key: ConversationKey): ActiveSession | undefined {
  const row = sql(`SELECT session_id, at FROM conversations WHERE ${isKey}`).get(...valuesOf(key));
  return row?.["session_id"] == null
    ? undefined
    : { sessionId: String(row["session_id"]), at: String(row["at"]) };
}

/** Writes the conversation and returns its number. Call inside a write. */
export function writeConversation(
  { sql }: Connection,
  key: ConversationKey,
  sessionId: string | undefined,
  at: string,
): number {
  const row = sql(`INSERT INTO conversations (principal, project, client, conversation, session_id, at)
      VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (principal, project, client, conversation)
      DO UPDATE SET session_id = excluded.session_id, at = excluded.at RETURNING cid`).get(
    ...valuesOf(key),
    sessionId ?? null,
    at,
  );
  return Number(row?.["cid"]);
}

function selectWriters({ sql }: Connection, sessionId: string, since: string): Writer[] {
  const rows = sql(`SELECT c.principal, c.project, c.client, c.conversation, max(t.timestamp) AS at FROM
      (SELECT cid, timestamp FROM thoughts WHERE sid = (SELECT sid FROM sessions WHERE id = ?)
       ORDER BY position DESC LIMIT ${newestThoughts}) t
    LEFT JOIN conversations c USING (cid) WHERE t.timestamp >= ? GROUP BY t.cid ORDER BY at DESC`).all(
    sessionId,
    since,
  );
  return rows.map((row) => ({ key: decodeKey(row), at: String(row["at"]) }));
}

const decodeKey = (row: Row): ConversationKey | undefined => (row["client"] == null ? undefined : toKey(row));

const toKey = (row: Row): ConversationKey => ({
  principal: String(row["principal"]),
  project: String(row["project"]),
  client: String(row["client"]),
  conversation: String(row["conversation"]),
});

function selectOrigins({ sql }: Connection, after: number, limit: number): ThoughtOrigin[] {
  return sql(`SELECT t.seq, t.position, t.tool_use, s.id, ${keyColumns} FROM thoughts t
      JOIN sessions s USING (sid) JOIN conversations c USING (cid) WHERE t.seq > ? ORDER BY t.seq LIMIT ?`)
    .all(after, limit)
    .map((row) => ({
      ...toKey(row),
      ...(row["tool_use"] !== null && { toolUse: String(row["tool_use"]) }),
      sessionId: String(row["id"]),
      position: Number(row["position"]),
      seq: Number(row["seq"]),
    }));
}

/** Adds conversations and the origins of thoughts. Call inside a write. */
function addAll(
  { sql }: Connection,
  conversations: readonly KnownConversation[],
  origins: readonly Omit<ThoughtOrigin, "seq">[],
): void {
  const insert = sql(`INSERT INTO conversations (principal, project, client, conversation, session_id, at)
    VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`);
  for (const one of conversations) insert.run(...valuesOf(one), one.sessionId ?? null, one.at);
  const mark = sql(`UPDATE thoughts SET tool_use = ?, cid = (SELECT cid FROM conversations WHERE ${isKey})
    WHERE sid = (SELECT sid FROM sessions WHERE id = ?) AND position = ? AND cid IS NULL`);
  for (const one of origins) mark.run(one.toolUse ?? null, ...valuesOf(one), one.sessionId, one.position);
}
