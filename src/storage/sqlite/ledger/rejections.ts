import { createRejections, type Rejections } from "../../../domain/analysis/rejections.ts";
import type { CipherType } from "../../../domain/cipher/notation.ts";
import { parseCipher } from "../../../domain/cipher/parse.ts";
import type { Row } from "../connection/driver.ts";
import { parseColumn } from "../connection/json-column.ts";
import type { Connection } from "../connection/open-database.ts";
import { decodeAddress } from "./rows.ts";
import { sidOf } from "./thought-reads.ts";

/** Of a session that is met for the first time. */
const maxThoughts = 2_000;
const maxSessions = 200;
/** A text is read only where it gives something up, and no further than anybody would write by hand. */
const maxText = 20_000;

type Known = { position: number; rejections: Rejections };

/** What is known is kept, and brought up to what is in the store now; the least recently used leave first. */
export function createRejectionCache() {
  const sessions = new Map<string, Known>();

  return (connection: Connection, sessionId: string): Rejections => {
    const sid = sidOf(connection, sessionId);
    const known = sessions.get(sessionId);
    sessions.delete(sessionId);
    if (sid === undefined) return createRejections();
    const { position, rejections } = known ?? beginNear(connection, sid);
    const last = addRows(connection, sid, position, rejections);
    sessions.set(sessionId, { position: last, rejections });
    const [oldest] = sessions.keys();
    if (sessions.size > maxSessions && oldest !== undefined) sessions.delete(oldest);
    return rejections;
  };
}

function beginNear({ sql }: Connection, sid: number): Known {
  const newest = sql("SELECT max(position) AS last FROM thoughts WHERE sid = ?").get(sid)?.["last"];
  return { position: Math.max(0, Number(newest ?? 0) - maxThoughts), rejections: createRejections() };
}

function addRows({ sql }: Connection, sid: number, after: number, { add }: Rejections): number {
  const rows = sql(`SELECT position, branch_id, number, from_branch, from_number, cipher,
      CASE WHEN instr(cipher_types, 'X') > 0 THEN substr(thought, 1, ${maxText}) END AS rejecting
    FROM thoughts WHERE sid = ? AND position > ? ORDER BY position`).all(sid, after);
  for (const row of rows) {
    const steps = parseColumn<{ number: number; type: CipherType }[]>(row["cipher"] ?? "[]");
    const rejecting = row["rejecting"];
    add(thoughtOf(row), steps, typeof rejecting === "string" ? (parseCipher(rejecting)?.steps ?? []) : []);
  }
  return Number(rows.at(-1)?.["position"] ?? after);
}

function thoughtOf(row: Row) {
  const fork = decodeAddress(row["from_branch"], row["from_number"]);
  return {
    thoughtNumber: Number(row["number"]),
    ...decodeAddress(row["branch_id"], row["number"]),
    ...(fork && { branchFromThought: fork.thoughtNumber }),
    ...(fork?.branchId !== undefined && { branchFromBranch: fork.branchId }),
  };
}
