import type { Conflict } from "../../../domain/memory/steps/outcomes.ts";
import type { ConflictPage } from "../../../ports/memory/graph.ts";
import { decodeConflict } from "../../rows/memory-rows.ts";
import { findDoc, type Place, requireBranch } from "../places.ts";
import { all, get, type Query } from "../query.ts";

/**
 * SQL: true if the conflict is shown. Deleting a branch hides its open conflicts, and restoring the branch
 * shows them again. Resolved conflicts are always shown.
 */
const isShown = "(c.status = 'resolved' OR c.status = 'open' AND f.deleted_at_ms IS NULL)";

const selectConflict = `SELECT c.*, f.name AS from_name, i.name AS into_name, d.name AS doc_name FROM {graph_conflicts} c
  JOIN {memory_branches} f ON f.bid = c.from_bid JOIN {memory_branches} i ON i.bid = c.into_bid
  JOIN {memory_docs} d ON d.doc = c.doc`;

/** Counts open conflicts by the branch and document they are merged into. */
export function* conflictPlaces({ wid }: Place): Query<{ into: string; doc: string; open: number }[]> {
  const rows = yield* all(
    `SELECT b.name AS branch, d.name AS doc, count(*) AS open FROM {memory_branches} b
     JOIN {graph_conflicts} c INDEXED BY graph_conflicts_open ON c.into_bid = b.bid AND c.status = 'open'
     JOIN {memory_branches} f ON f.bid = c.from_bid JOIN {memory_docs} d ON d.doc = c.doc
     WHERE b.wid = ? AND b.deleted_at_ms IS NULL AND ${isShown}
     GROUP BY b.bid, b.name, d.doc, d.name ORDER BY open DESC, branch, doc LIMIT 100`,
    wid,
  );
  return rows.map((row) => ({
    into: String(row["branch"]),
    doc: String(row["doc"]),
    open: Number(row["open"]),
  }));
}

/** Finds a conflict and the row numbers of its two branches. */
export function* findConflict(
  { wid }: Place,
  id: string,
): Query<{ conflict: Conflict; from: number; into: number } | undefined> {
  const row = yield* get(
    `${selectConflict} WHERE c.wid = ? AND c.id = ? AND i.deleted_at_ms IS NULL AND ${isShown}`,
    ...[wid, id],
  );
  if (!row) return undefined;
  const { order: _order, ...conflict } = decodeConflict(row);
  return { conflict, from: Number(row["from_bid"]), into: Number(row["into_bid"]) };
}

/** Lists conflicts in the order in which they were found. */
export function* listConflicts(place: Place, { into, doc, status, after, limit }: ConflictPage) {
  const { bid } = yield* requireBranch(place, into);
  const filter = status === undefined ? "" : "AND c.status = ?";
  const rows = yield* all(
    `${selectConflict} WHERE c.into_bid = ? AND c.doc = ? AND c.cid > ? AND ${isShown} ${filter}
     ORDER BY c.cid LIMIT ?`,
    ...[bid, (yield* findDoc(place, doc)) ?? 0, after],
    ...(status === undefined ? [] : [status]),
    limit + 1,
  );
  return { conflicts: rows.slice(0, limit).map(decodeConflict), hasMore: rows.length > limit };
}
