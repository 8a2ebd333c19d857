import { createRejections, type Rejections } from "../../../domain/analysis/rejections.ts";
import { addRejecting } from "../../rows/criticism-rows.ts";
import type { WithConnection } from "../connection/access.ts";
import { sidOf } from "./thought-reads.ts";

/** The maximum number of thoughts to read, which are the newest ones of the session. */
const maxThoughts = 2_000;
/** The number of thoughts to read before other work may run. */
const strideThoughts = 100;
/** The maximum number of characters to read from a thought. Only texts that reject something are read. */
const maxText = 10_000;

/** Returns which of the newest thoughts were rejected by later ones. */
export async function loadRejections(read: WithConnection, sessionId: string): Promise<Rejections> {
  const rows = await read(async (connection) => {
    const sid = await sidOf(connection, sessionId);
    if (sid === undefined) return [];
    return connection
      .sql(`SELECT position, branch_id, number, from_branch, from_number, cipher,
          CASE WHEN strpos(cipher_types, 'X') > 0 THEN substr(thought, 1, ${maxText}) END AS rejecting
        FROM {thoughts} t WHERE sid = ? AND position > (SELECT max(position) FROM {thoughts} n WHERE n.sid = ?1) - ${maxThoughts}
        ORDER BY position`)
      .all(sid);
  });
  const rejections = createRejections();
  for (const [n, row] of rows.entries()) {
    if (n % strideThoughts === strideThoughts - 1) await new Promise(setImmediate);
    addRejecting(rejections, row);
  }
  return rejections;
}
