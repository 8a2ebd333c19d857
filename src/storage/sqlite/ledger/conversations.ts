import type { ActiveSession, ConversationKey, Conversations, Writer } from "../../../ports/conversations.ts";
import type { WithConnection } from "../connection/access.ts";
import type { Row } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";

/** Nobody writes more than this within the few minutes that a caller asks about. */
const newestThoughts = 200;

const isKey = "principal = ? AND project = ? AND client = ? AND conversation = ?";

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
  };
}

function findActive({ sql }: Connection, key: ConversationKey): ActiveSession | undefined {
  const row = sql(`SELECT session_id, at FROM conversations WHERE ${isKey}`).get(...valuesOf(key));
  return row?.["session_id"] == null
    ? undefined
    : { sessionId: String(row["session_id"]), at: String(row["at"]) };
}

/** Call inside a write. Returns its number. */
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

const decodeKey = (row: Row): ConversationKey | undefined =>
  row["client"] == null
    ? undefined
    : {
        principal: String(row["principal"]),
        project: String(row["project"]),
        client: String(row["client"]),
        conversation: String(row["conversation"]),
      };
