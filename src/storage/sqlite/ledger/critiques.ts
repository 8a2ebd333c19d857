import type { CritiqueChain } from "../../../domain/ledger/chain/critique-chain.ts";
import type { ChainedThought } from "../../../domain/ledger/thought.ts";
import { largest } from "../../../kernel/numbers.ts";
import type { CritiquePage } from "../../../ports/ledger-store.ts";
import { addCritiques, critiqueColumns, decodeCritiques } from "../../rows/criticism-rows.ts";
import type { WithConnection } from "../connection/access.ts";
import type { Connection } from "../connection/open-database.ts";

export function countRequests({ sql }: Connection, sessionId: string): number {
  const row = sql(`SELECT count(*) AS requests FROM thoughts t JOIN sessions s ON s.sid = t.sid
    WHERE s.id = ? AND t.critique_requested = 1`).get(sessionId);
  return Number(row?.["requests"] ?? 0);
}

/** Adds the newest critique to each thought that has one. */
export function withCritiques({ sql }: Connection, sid: number, entries: ChainedThought[]): ChainedThought[] {
  if (entries.length === 0) return entries;
  const highest = largest(entries.map(({ seq }) => seq));
  const lowest = entries.reduce((least, { seq }) => Math.min(least, seq), highest);
  const rows = sql(`SELECT thought_seq, text, model, timestamp FROM critiques
    WHERE sid = ? AND thought_seq BETWEEN ? AND ? ORDER BY seq`).all(sid, lowest, highest);
  return addCritiques(entries, rows);
}

/** How many critiques are read before other work runs. */
const critiquesAtOnce = 500;

/**
 * Returns the session's critiques in order, and the chain length and head hash in its row, for verification.
 * Lets other work run in between.
 */
export async function readCritiquesInStrides(
  read: WithConnection,
  sessionId: string,
  { after, limit = Number.POSITIVE_INFINITY }: CritiquePage = { after: 0 },
  isTrashed = false,
): Promise<CritiqueChain> {
  const entries: CritiqueChain["entries"][number][] = [];
  for (;;) {
    const position = entries.at(-1)?.position ?? after;
    const count = Math.min(critiquesAtOnce, limit - entries.length);
    const stride = await read((connection) =>
      selectCritiques(connection, sessionId, position, count, isTrashed),
    );
    for (const entry of stride.entries) entries.push(entry);
    if (stride.entries.length < critiquesAtOnce || entries.length >= limit) return { ...stride, entries };
    await new Promise(setImmediate);
  }
}

function selectCritiques(
  { sql }: Connection,
  sessionId: string,
  after: number,
  limit: number,
  isTrashed: boolean,
): CritiqueChain {
  const head = sql(
    `SELECT sid, amendment_count, amendment_head FROM sessions
      WHERE id = ? AND deleted_at IS ${isTrashed ? "NOT NULL" : "NULL"}`,
  ).get(sessionId);
  const rows = sql(`SELECT ${critiqueColumns}
    FROM critiques c JOIN thoughts t ON t.seq = c.thought_seq WHERE c.sid = ? AND c.position > ?
    ORDER BY c.position LIMIT ?`).all(head?.["sid"] ?? 0, after, limit);
  return decodeCritiques(sessionId, head, rows);
}
