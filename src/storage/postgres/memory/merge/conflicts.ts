import type { Conflict } from "../../../../domain/memory/steps/outcomes.ts";
import type { ConflictPage } from "../../../../ports/memory/graph.ts";
import { decodeConflict } from "../../../rows/memory-rows.ts";
import { findDoc, type Place, requireBranch } from "../places.ts";

/** A conflict that waits is hidden with the branch it came from, and returns with it. Decisions stay known. */
const isShown = "(c.status = 'resolved' OR c.status = 'open' AND f.deleted_at_ms IS NULL)";

const selectConflict = `SELECT c.*, f.name AS from_name, i.name AS into_name, d.name AS doc_name FROM {graph_conflicts} c
  JOIN {memory_branches} f ON f.bid = c.from_bid JOIN {memory_branches} i ON i.bid = c.into_bid
  JOIN {memory_docs} d ON d.doc = c.doc`;

/** By the place they are in the way of. */
export async function conflictPlaces({ connection, wid }: Place) {
  const rows = await connection
    .sql(`SELECT b.name AS branch, d.name AS doc, count(*) AS open FROM {memory_branches} b
      JOIN {graph_conflicts} c ON c.into_bid = b.bid AND c.status = 'open'
      JOIN {memory_branches} f ON f.bid = c.from_bid JOIN {memory_docs} d ON d.doc = c.doc
      WHERE b.wid = ? AND b.deleted_at_ms IS NULL AND ${isShown}
      GROUP BY b.bid, b.name, d.doc, d.name ORDER BY open DESC, branch, doc LIMIT 100`)
    .all(wid);
  return rows.map((row) => ({
    into: String(row["branch"]),
    doc: String(row["doc"]),
    open: Number(row["open"]),
  }));
}

/** With the numbers of its branches. */
export async function findConflict(
  { connection, wid }: Place,
  id: string,
): Promise<{ conflict: Conflict; from: number; into: number } | undefined> {
  const row = await connection
    .sql(`${selectConflict} WHERE c.wid = ? AND c.id = ? AND i.deleted_at_ms IS NULL AND ${isShown}`)
    .get(wid, id);
  if (!row) return undefined;
  const { order: _order, ...conflict } = decodeConflict(row);
  return { conflict, from: Number(row["from_bid"]), into: Number(row["into_bid"]) };
}

/** In the order in which they were found. */
export async function listConflicts(place: Place, { into, doc, status, after, limit }: ConflictPage) {
  const { bid } = await requireBranch(place, into);
  const filter = status === undefined ? "" : "AND c.status = ?";
  const rows = await place.connection
    .sql(`${selectConflict} WHERE c.into_bid = ? AND c.doc = ? AND c.cid > ? AND ${isShown} ${filter}
      ORDER BY c.cid LIMIT ?`)
    .all(bid, (await findDoc(place, doc)) ?? 0, after, ...(status === undefined ? [] : [status]), limit + 1);
  return { conflicts: rows.slice(0, limit).map(decodeConflict), hasMore: rows.length > limit };
}
