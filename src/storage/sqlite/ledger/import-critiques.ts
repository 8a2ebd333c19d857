import { sealCritique } from "../../../domain/ledger/chain/critique-chain.ts";
import type { PlacedCritique } from "../../../domain/ledger/tree/critique-file.ts";
import type { Connection } from "../connection/open-database.ts";
import { noteAmendment } from "./critiques.ts";

/** Call inside a write. Critiques that do not continue the session's chain, or were changed, are left out. */
export function importCritiques(
  connection: Connection,
  sid: number,
  critiques: readonly PlacedCritique[],
): { added: number; leftOut: number[] } {
  const leftOut: number[] = [];
  if (critiques.length === 0) return { added: 0, leftOut };
  const { sql } = connection;
  const session = sql("SELECT amendment_count, amendment_head FROM sessions WHERE sid = ?").get(sid);
  let count = Number(session?.["amendment_count"]);
  let head = String(session?.["amendment_head"]);
  let added = 0;
  for (const { hash, thoughtPosition, ...sealed } of critiques) {
    if (isKnown(connection, sid, sealed.position, hash)) continue;
    const continues = sealed.position === count + 1 && sealed.prevHash === head;
    const seq =
      continues && sealCritique(sealed) === hash
        ? findThought(connection, sid, sealed.thoughtHash, thoughtPosition)
        : undefined;
    if (seq === undefined) {
      leftOut.push(sealed.position);
      continue;
    }
    sql(`INSERT INTO critiques (seq, sid, position, thought_seq, text, model, timestamp, salt, prev_hash, hash)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
      noteAmendment(connection, sid, sealed.timestamp),
      sid,
      sealed.position,
      seq,
      sealed.text,
      sealed.model,
      sealed.timestamp,
      sealed.salt,
      sealed.prevHash,
      hash,
    );
    [count, head, added] = [sealed.position, hash, added + 1];
  }
  sql("UPDATE sessions SET amendment_count = ?, amendment_head = ? WHERE sid = ?").run(count, head, sid);
  return { added, leftOut };
}

function isKnown({ sql }: Connection, sid: number, position: number, hash: string): boolean {
  const known = sql("SELECT hash FROM critiques WHERE sid = ? AND position = ?").get(sid, position);
  return known?.["hash"] === hash;
}

function findThought(
  { sql }: Connection,
  sid: number,
  hash: string,
  position: number | undefined,
): number | undefined {
  const placed =
    position !== undefined &&
    sql("SELECT seq FROM thoughts WHERE sid = ? AND position = ? AND hash = ?").get(sid, position, hash);
  const found = placed || sql("SELECT seq FROM thoughts WHERE sid = ? AND hash = ?").get(sid, hash);
  return found && Number(found["seq"]);
}
