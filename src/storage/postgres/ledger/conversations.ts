import type { ActiveSession, ConversationKey, Conversations, Writer } from "../../../ports/conversations.ts";
import type { Row } from "../../rows/row.ts";
import type { Connection, WithConnection, WithWrite } from "../connection/access.ts";
import { bulkInsert } from "../connection/insert.ts";

/** Nobody writes more than this within the few minutes that a caller asks about. */
const newestThoughts = 200;

export type ConversationWrite = { key: ConversationKey; sessionId: string | undefined; at: string };

export function createConversations(read: WithConnection, write: WithWrite): Conversations {
  const findActive = (key: ConversationKey) => read((connection) => selectActive(connection, key));
  return {
    find: findActive,
    async bind(key, sessionId, at) {
      if ((await findActive(key))?.sessionId !== sessionId)
        await write((connection) => writeConversations(connection, [{ key, sessionId, at }]));
    },
    listWriters: (sessionId, since) => read((connection) => selectWriters(connection, sessionId, since)),
  };
}

async function selectActive({ sql }: Connection, key: ConversationKey): Promise<ActiveSession | undefined> {
  const { principal, project, client, conversation } = key;
  const row = await sql(`SELECT session_id, at FROM {conversations} c
    WHERE principal = ? AND project = ? AND client = ? AND conversation = ?`).get(
    ...[principal, project, client, conversation],
  );
  return row?.["session_id"] == null
    ? undefined
    : { sessionId: String(row["session_id"]), at: String(row["at"]) };
}

/** Call inside a write. Returns their rows with their numbers, in any order. */
export const writeConversations = bulkInsert<ConversationWrite>(
  "conversations",
  {
    principal: ({ key }) => key.principal,
    project: ({ key }) => key.project,
    client: ({ key }) => key.client,
    conversation: ({ key }) => key.conversation,
    session_id: ({ sessionId }) => sessionId ?? null,
    at: ({ at }) => at,
  },
  {
    behind: `ON CONFLICT (tenant, principal, project, client, conversation)
      DO UPDATE SET session_id = excluded.session_id, at = excluded.at
      RETURNING cid, principal, project, client, conversation`,
  },
);

async function selectWriters({ sql }: Connection, sessionId: string, since: string): Promise<Writer[]> {
  const rows = await sql(`SELECT c.principal, c.project, c.client, c.conversation, max(t.timestamp) AS at FROM
      (SELECT cid, timestamp FROM {thoughts} t WHERE sid = (SELECT sid FROM {sessions} s WHERE id = ?)
       ORDER BY position DESC LIMIT ${newestThoughts}) t
    LEFT JOIN {conversations} c ON c.cid = t.cid WHERE t.timestamp >= ?
    GROUP BY t.cid, c.principal, c.project, c.client, c.conversation ORDER BY at DESC`).all(sessionId, since);
  return rows.map((row) => ({ key: decodeKey(row), at: String(row["at"]) }));
}

export const decodeKey = (row: Row): ConversationKey | undefined =>
  row["client"] == null
    ? undefined
    : {
        principal: String(row["principal"]),
        project: String(row["project"]),
        client: String(row["client"]),
        conversation: String(row["conversation"]),
      };
