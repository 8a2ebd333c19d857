import type { CritiqueChain } from "../../../domain/ledger/chain/critique-chain.ts";
import type { ChainedThought } from "../../../domain/ledger/thought.ts";
import { largest } from "../../../kernel/numbers.ts";
import type { CritiquePage } from "../../../ports/ledger-store.ts";
import type { WithConnection } from "../connection/access.ts";
import type { Connection } from "../connection/open-database.ts";

export function countRequests({ sql }: Connection, sessionId: string): number {
  const row = sql(`SELECT count(*) AS requests FROM thoughts t JOIN sessions s ON s.sid = t.sid
    WHERE s.id = ? AND t.critique_requested = 1`).get(sessionId);
  return Number(row?.["requests"] ?? 0);
}

/** Adds the newest critique to each thought. Costs nothing if the session has none. */
export function withCritiques({ sql }: Connection, sid: number, entries: ChainedThought[]): ChainedThought[] {
  if (entries.length === 0) return entries;
  const highest = largest(entries.map(({ seq }) => seq));
  const lowest = entries.reduce((least, { seq }) => Math.min(least, seq), highest);
  const rows = sql(`SELECT thought_seq, text, model, timestamp FROM critiques
    WHERE sid = ? AND thought_seq BETWEEN ? AND ? ORDER BY seq`).all(sid, lowest, highest);
  if (rows.length === 0) return entries;
  const bySeq = new Map(rows.map((row) => [Number(row["thought_seq"]), row]));
  return entries.map((entry) => {
    const row = bySeq.get(entry.seq);
    if (!row) return entry;
    const critique = {
      text: String(row["text"]),
      model: String(row["model"]),
      timestamp: String(row["timestamp"]),
    };
    return { ...entry, data: { ...entry.data, critique } };
  });
}

/** How many critiques are read before other work runs. */
const critiquesAtOnce = 500;

/**
 * For verification: the session's critiques in order, with the length and head hash in the session. Lets other work run
 * in between.
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
  const rows =
    sql(`SELECT c.position, c.text, c.model, c.timestamp, c.salt, c.prev_hash, c.hash, t.hash AS thought_hash
    FROM critiques c JOIN thoughts t ON t.seq = c.thought_seq WHERE c.sid = ? AND c.position > ?
    ORDER BY c.position LIMIT ?`).all(head?.["sid"] ?? 0, after, limit);
  return {
    length: Number(head?.["amendment_count"] ?? 0),
    headHash: String(head?.["amendment_head"] ?? ""),
    entries: rows.map((row) => ({
      sessionId,
      position: Number(row["position"]),
      text: String(row["text"]),
      model: String(row["model"]),
      timestamp: String(row["timestamp"]),
      salt: String(row["salt"]),
      prevHash: String(row["prev_hash"]),
      hash: String(row["hash"]),
      thoughtHash: String(row["thought_hash"]),
    })),
  };
}
