import type { CritiqueChain } from "../../../domain/ledger/chain/critique-chain.ts";
import type { ChainedThought } from "../../../domain/ledger/thought.ts";
import type { CritiquePage } from "../../../ports/ledger-store.ts";
import { addCritiques, critiqueColumns, decodeCritiques } from "../../rows/criticism-rows.ts";
import type { Connection, WithConnection } from "../connection/access.ts";

export async function countRequests({ sql }: Connection, sessionId: string): Promise<number> {
  const row = await sql(`SELECT count(*) AS requests FROM {thoughts} t JOIN {sessions} s ON s.sid = t.sid
    WHERE s.id = ? AND t.critique_requested = 1`).get(sessionId);
  return Number(row?.["requests"] ?? 0);
}

/** Adds the newest critique to each thought. */
export async function withCritiques(
  { sql }: Connection,
  sid: number,
  entries: ChainedThought[],
): Promise<ChainedThought[]> {
  if (entries.length === 0) return entries;
  const rows = await sql(`SELECT thought_seq, text, model, timestamp FROM {critiques} c
    WHERE sid = ? AND thought_seq = ANY (?::bigint[]) ORDER BY seq`).all(
    sid,
    entries.map(({ seq }) => seq),
  );
  return addCritiques(entries, rows);
}

/** Returns the session's critiques in order, and the chain length and head hash from the session's row. */
export function readCritiques(
  read: WithConnection,
  sessionId: string,
  { after, limit = Number.MAX_SAFE_INTEGER }: CritiquePage = { after: 0 },
  isTrashed = false,
): Promise<CritiqueChain> {
  return read(async ({ sql }) => {
    const head = await sql(`SELECT sid, amendment_count, amendment_head FROM {sessions} s
      WHERE id = ? AND deleted_at IS ${isTrashed ? "NOT NULL" : "NULL"}`).get(sessionId);
    const rows = await sql(`SELECT ${critiqueColumns}
      FROM {critiques} c JOIN {thoughts} t ON t.seq = c.thought_seq WHERE c.sid = ? AND c.position > ?
      ORDER BY c.position LIMIT ?`).all(head?.["sid"] ?? 0, after, limit);
    return decodeCritiques(sessionId, head, rows);
  });
}
