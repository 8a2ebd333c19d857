import type { Session } from "../../../domain/ledger/session.ts";
import type { ShownHit } from "../../../domain/search/source.ts";
import { decodeAddress, decodeSession, sessionColumns } from "../../rows/ledger-rows.ts";
import { decodeNoteHit } from "../../rows/search-rows.ts";
import type { Connection } from "../connection/access.ts";
import { revisionKey, selectRevisions } from "../ledger/thought-reads.ts";

/**
 * Returns the data that a page shows for each hit. Texts are identified by seq, and sessions by number.
 * `undefined` for hits that no longer exist.
 */
export async function selectShown(
  connection: Connection,
  hits: readonly { seq?: number | undefined; sid?: number | undefined }[],
  length: number,
  now: Date,
): Promise<(ShownHit | undefined)[]> {
  const { sql } = connection;
  const seqs = hits.flatMap(({ seq }) => seq ?? []);
  const [thoughts, notes] = await Promise.all([
    sql(`SELECT seq, sid, branch_id, number, timestamp, substr(thought, 1, ?2) AS text FROM {thoughts} t
      WHERE seq = ANY (?1::bigint[])`).all(seqs, length),
    selectNotes(connection, seqs, length),
  ]);
  const places = thoughts.flatMap((row) => {
    const address = decodeAddress(row["branch_id"], row["number"]);
    return address ? [{ row, sid: Number(row["sid"]), address }] : [];
  });
  const [revisions, sessions] = await Promise.all([
    selectRevisions(connection, places),
    selectSessions(
      connection,
      [...hits.flatMap(({ sid }) => sid ?? []), ...places.map(({ sid }) => sid)],
      now,
    ),
  ]);
  const byThought = new Map<number, ShownHit>();
  for (const { row, sid, address } of places) {
    const session = sessions.get(sid);
    const revisedBy = revisions.get(revisionKey(sid, address))?.at(-1);
    const shown = { timestamp: String(row["timestamp"]), beginning: String(row["text"]) };
    if (session)
      byThought.set(Number(row["seq"]), { session, address, ...(revisedBy && { revisedBy }), ...shown });
  }
  return hits.map(({ seq, sid }) => {
    if (seq !== undefined) return byThought.get(seq) ?? notes.get(seq);
    const session = sessions.get(sid ?? 0);
    return session && { session, timestamp: session.createdAt };
  });
}

async function selectSessions(
  { sql }: Connection,
  sids: readonly number[],
  now: Date,
): Promise<Map<number, Session>> {
  const rows = await sql(`SELECT ${sessionColumns} FROM {sessions} s
    WHERE s.sid = ANY (?::bigint[]) AND s.deleted_at IS NULL`).all([...new Set(sids)]);
  return new Map(rows.map((row) => [Number(row["sid"]), decodeSession(row, now).session]));
}

async function selectNotes(
  { sql }: Connection,
  seqs: readonly number[],
  length: number,
): Promise<Map<number, ShownHit>> {
  const rows =
    await sql(`SELECT e.seq, w.name AS workspace, b.name AS branch, d.name AS doc, e.title, e.ts_ms,
      substr(${noteText}, 1, ?2) AS text
    FROM {memory_entries} e JOIN {memory_docs} d ON d.doc = e.doc JOIN {memory_branches} b ON b.bid = e.bid
    JOIN {memory_workspaces} w ON w.wid = d.wid WHERE e.seq = ANY (?1::bigint[])`).all(seqs, length);
  return new Map(rows.map((row) => [Number(row["seq"]), decodeNoteHit(row)]));
}

/** Returns part of the text of a thought or note. A seq belongs to one or the other. */
export async function selectPart(
  { sql }: Connection,
  seq: number,
  from: number,
  length: number,
): Promise<string> {
  const row = await sql(`SELECT substr(thought, ?2, ?3) AS text FROM {thoughts} t WHERE seq = ?1
    UNION ALL SELECT substr(${noteText}, ?2, ?3) FROM {memory_entries} e WHERE e.seq = ?1`).get(
    ...[seq, from + 1, length],
  );
  return String(row?.["text"] ?? "");
}

export const noteText = "coalesce(e.title || chr(10), '') || e.content";
