import { createRejections, type Rejections } from "../../../domain/analysis/rejections.ts";
import { addRejecting } from "../../rows/criticism-rows.ts";
import type { WithConnection } from "../connection/access.ts";
import type { Row } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";
import { sidOf } from "./thought-reads.ts";

/** The maximum number of thoughts to read from a session that is not yet cached. */
const maxThoughts = 2_000;
const maxSessions = 200;
/** How many thoughts are read before other work runs. */
const strideThoughts = 100;
/** How many characters of a thought to read. Only the text of a thought that rejects something is read. */
const maxText = 10_000;

type Known = { position: number; rejections: Rejections };

/** Caches rejections and updates them from the store. The least recently used sessions are evicted first. */
export function createRejectionCache(read: WithConnection) {
  const sessions = new Map<string, Known>();

  function addStride(connection: Connection, sessionId: string): { rejections: Rejections; isLast: boolean } {
    const sid = sidOf(connection, sessionId);
    const known = sessions.get(sessionId);
    sessions.delete(sessionId);
    if (sid === undefined) return { rejections: createRejections(), isLast: true };
    const { position, rejections } = known ?? beginNear(connection, sid);
    const rows = readRows(connection, sid, position);
    for (const row of rows) addRejecting(rejections, row);
    sessions.set(sessionId, { position: Number(rows.at(-1)?.["position"] ?? position), rejections });
    const [oldest] = sessions.keys();
    if (sessions.size > maxSessions && oldest !== undefined) sessions.delete(oldest);
    return { rejections, isLast: rows.length < strideThoughts };
  }

  return async (sessionId: string): Promise<Rejections> => {
    for (;;) {
      const { rejections, isLast } = await read((connection) => addStride(connection, sessionId));
      if (isLast) return rejections;
      await new Promise(setImmediate);
    }
  };
}

function beginNear({ sql }: Connection, sid: number): Known {
  const newest = sql("SELECT max(position) AS last FROM thoughts WHERE sid = ?").get(sid)?.["last"];
  return { position: Math.max(0, Number(newest ?? 0) - maxThoughts), rejections: createRejections() };
}

const readRows = ({ sql }: Connection, sid: number, after: number): Row[] =>
  sql(`SELECT position, branch_id, number, from_branch, from_number, cipher,
      CASE WHEN instr(cipher_types, 'X') > 0 THEN substr(thought, 1, ${maxText}) END AS rejecting
    FROM thoughts WHERE sid = ? AND position > ? ORDER BY position LIMIT ${strideThoughts}`).all(sid, after);
