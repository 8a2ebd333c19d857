import type {
  ActiveSession,
  ConversationKey,
  Conversations,
  KnownConversation,
  ThoughtOrigin,
  Writer,
} from "../../../ports/conversations.ts";
import type { Row } from "../../rows/row.ts";
import type { Connection, WithConnection, WithWrite, WriteConnection } from "../connection/access.ts";
import { bulkInsert } from "../connection/insert.ts";

/** The number of thoughts to examine. More than any client writes in the few minutes that callers ask about. */
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
    list: (limit, offset) => read((connection) => selectAll(connection, limit, offset)),
    listOrigins: (after, limit) => read((connection) => selectOrigins(connection, after, limit)),
    add: (conversations, origins) =>
      write(async (connection) => {
        if (conversations.length > 0) await addConversations(connection, conversations);
        if (origins.length > 0) await addOrigins(connection, origins);
      }),
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

/** Inserts or updates conversations. Call inside a write. Returns the rows with their numbers, in any order. */
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
  row["client"] == null ? undefined : toKey(row);

const toKey = (row: Row): ConversationKey => ({
  principal: String(row["principal"]),
  project: String(row["project"]),
  client: String(row["client"]),
  conversation: String(row["conversation"]),
});

const keyColumns = "c.principal, c.project, c.client, c.conversation";

async function selectAll({ sql }: Connection, limit: number, offset: number): Promise<KnownConversation[]> {
  const rows = await sql(`SELECT ${keyColumns}, c.session_id, c.at FROM {conversations} c
    ORDER BY ${keyColumns} LIMIT ? OFFSET ?`).all(limit, offset);
  return rows.map((row) => ({
    ...toKey(row),
    ...(row["session_id"] !== null && { sessionId: String(row["session_id"]) }),
    at: String(row["at"]),
  }));
}

async function selectOrigins({ sql }: Connection, after: number, limit: number): Promise<ThoughtOrigin[]> {
  const rows = await sql(`SELECT t.seq, t.position, t.tool_use, s.id, ${keyColumns} FROM {thoughts} t
    JOIN {sessions} s ON s.sid = t.sid JOIN {conversations} c ON c.cid = t.cid
    WHERE t.seq > ? ORDER BY t.seq LIMIT ?`).all(after, limit);
  return rows.map((row) => ({
    ...toKey(row),
    ...(row["tool_use"] !== null && { toolUse: String(row["tool_use"]) }),
    sessionId: String(row["id"]),
    position: Number(row["position"]),
    seq: Number(row["seq"]),
  }));
}

const addConversations = bulkInsert<KnownConversation>(
  "conversations",
  {
    principal: ({ principal }) => principal,
    project: ({ project }) => project,
    client: ({ client }) => client,
    conversation: ({ conversation }) => conversation,
    session_id: ({ sessionId }) => sessionId ?? null,
    at: ({ at }) => at,
  },
  { behind: "ON CONFLICT (tenant, principal, project, client, conversation) DO NOTHING" },
);

async function addOrigins(
  { sql }: WriteConnection,
  origins: readonly Omit<ThoughtOrigin, "seq">[],
): Promise<void> {
  await sql(`UPDATE thoughts SET tool_use = o.tool_use, cid = c.cid
    FROM unnest(?::text[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[])
      o (session_id, position, tool_use, principal, project, client, conversation)
    JOIN {sessions} s ON s.id = o.session_id
    JOIN {conversations} c ON c.principal = o.principal AND c.project = o.project AND c.client = o.client
      AND c.conversation = o.conversation
    WHERE thoughts.tenant = @tenant AND thoughts.sid = s.sid AND thoughts.position = o.position
      AND thoughts.cid IS NULL`).run(
    origins.map(({ sessionId }) => sessionId),
    origins.map(({ position }) => position),
    origins.map(({ toolUse }) => toolUse ?? null),
    origins.map(({ principal }) => principal),
    origins.map(({ project }) => project),
    origins.map(({ client }) => client),
    origins.map(({ conversation }) => conversation),
  );
}
