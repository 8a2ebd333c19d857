import type { Session } from "../../../domain/ledger/session.ts";
import type { ShownHit } from "../../../domain/search/source.ts";
import { decodeAddress, decodeSession, sessionColumns } from "../../rows/ledger-rows.ts";
import { decodeNoteHit } from "../../rows/search-rows.ts";
import type { Connection } from "../connection/open-database.ts";
import { selectRevisedBy } from "../ledger/thought-reads.ts";

/**
 * Returns the data that a page shows for each hit, or `undefined` for a hit that no longer exists. Texts are
 * identified by seq, and sessions by number.
 */
export function selectShown(
  connection: Connection,
  hits: readonly { seq?: number | undefined; sid?: number | undefined }[],
  length: number,
  now: Date,
): (ShownHit | undefined)[] {
  const sessionOf = rememberSessions(connection, now);
  return hits.map(({ seq, sid }) => {
    if (seq !== undefined)
      return thoughtHit(connection, seq, length, sessionOf) ?? noteHit(connection, seq, length);
    const session = sessionOf(sid ?? 0);
    return session && { session, timestamp: session.createdAt };
  });
}

type SessionOf = (sid: number) => Session | undefined;

function rememberSessions({ sql }: Connection, now: Date): SessionOf {
  const known = new Map<number, Session | undefined>();
  return (sid) => {
    if (!known.has(sid)) {
      const row = sql(
        `SELECT ${sessionColumns} FROM sessions s WHERE s.sid = ? AND s.deleted_at IS NULL`,
      ).get(sid);
      known.set(sid, row && decodeSession(row, now).session);
    }
    return known.get(sid);
  };
}

function thoughtHit(
  connection: Connection,
  seq: number,
  length: number,
  sessionOf: SessionOf,
): ShownHit | undefined {
  const row = connection
    .sql(
      "SELECT sid, branch_id, number, timestamp, substr(thought, 1, ?) AS text FROM thoughts WHERE seq = ?",
    )
    .get(length, seq);
  const session = row && sessionOf(Number(row["sid"]));
  const address = row && decodeAddress(row["branch_id"], row["number"]);
  if (!session || !address) return undefined;
  const [timestamp, beginning] = [String(row["timestamp"]), String(row["text"])];
  const revisedBy = selectRevisedBy(connection, Number(row["sid"]), address).at(-1);
  return { session, address, ...(revisedBy && { revisedBy }), timestamp, beginning };
}

function noteHit({ sql }: Connection, seq: number, length: number): ShownHit | undefined {
  const row = sql(`SELECT e.seq, w.name AS workspace, b.name AS branch, d.name AS doc, e.title, e.ts_ms,
      substr(${noteText}, 1, ?) AS text
    FROM memory_entries e JOIN memory_docs d ON d.doc = e.doc JOIN memory_branches b ON b.bid = e.bid
    JOIN memory_workspaces w ON w.wid = d.wid WHERE e.seq = ?`).get(length, seq);
  return row && decodeNoteHit(row);
}

/** Returns part of the text of a thought or note. A seq belongs to either a thought or a note. */
export function selectPart({ sql }: Connection, seq: number, from: number, length: number): string {
  const row = sql(`SELECT substr(thought, ?2, ?3) AS text FROM thoughts WHERE seq = ?1
    UNION ALL SELECT substr(${noteText}, ?2, ?3) FROM memory_entries e WHERE e.seq = ?1`).get(
    seq,
    from + 1,
    length,
  );
  return String(row?.["text"] ?? "");
}

const noteText = "coalesce(e.title || char(10), '') || e.content";
