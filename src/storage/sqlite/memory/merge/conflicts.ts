import type { GraphState } from "../../../../domain/memory/graph.ts";
import type { Conflict, ConflictStatus } from "../../../../domain/memory/steps/outcomes.ts";
import type { ConflictPage } from "../../../../ports/memory/graph.ts";
import { parseColumn, type Row } from "../../connection/driver.ts";
import { findDoc, type Place, requireBranch } from "../places.ts";

/** A conflict that waits is hidden with the branch it came from, and returns with it. Decisions stay known. */
const isShown = "(c.status = 'resolved' OR c.status = 'open' AND f.deleted_at_ms IS NULL)";

const selectConflict = `SELECT c.*, f.name AS from_name, i.name AS into_name, d.name AS doc_name FROM graph_conflicts c
  JOIN memory_branches f ON f.bid = c.from_bid JOIN memory_branches i ON i.bid = c.into_bid
  JOIN memory_docs d ON d.doc = c.doc`;

/** By the place they are in the way of. */
export function conflictPlaces({ connection, wid }: Place): { into: string; doc: string; open: number }[] {
  return connection
    .sql(
      `SELECT b.name AS branch, d.name AS doc, count(*) AS open FROM memory_branches b
       JOIN graph_conflicts c INDEXED BY graph_conflicts_open ON c.into_bid = b.bid AND c.status = 'open'
       JOIN memory_branches f ON f.bid = c.from_bid JOIN memory_docs d ON d.doc = c.doc
       WHERE b.wid = ? AND b.deleted_at_ms IS NULL AND ${isShown}
       GROUP BY b.bid, d.doc ORDER BY open DESC, branch, doc LIMIT 100`,
    )
    .all(wid)
    .map((row) => ({ into: String(row["branch"]), doc: String(row["doc"]), open: Number(row["open"]) }));
}

export const readConflict = (place: Place, id: string): Conflict | undefined =>
  findConflict(place, id)?.conflict;

/** With the numbers of its branches. */
export function findConflict(
  { connection, wid }: Place,
  id: string,
): { conflict: Conflict; from: number; into: number } | undefined {
  const row = connection
    .sql(`${selectConflict} WHERE c.wid = ? AND c.id = ? AND i.deleted_at_ms IS NULL AND ${isShown}`)
    .get(wid, id);
  if (!row) return undefined;
  const { order: _order, ...conflict } = decodeConflict(row);
  return { conflict, from: Number(row["from_bid"]), into: Number(row["into_bid"]) };
}

function decodeConflict(row: Row): Conflict & { order: number } {
  const state = (column: "base" | "ours") =>
    row[column] === null ? null : parseColumn<GraphState>(row[column]);
  return {
    order: Number(row["cid"]),
    conflict_id: String(row["id"]),
    kind: row["kind"] === "edge" ? "edge" : "node",
    key: String(row["key"]),
    from: String(row["from_name"]),
    into: String(row["into_name"]),
    doc: String(row["doc_name"]),
    status: String(row["status"]) as ConflictStatus,
    base: state("base"),
    theirs: parseColumn<GraphState>(row["theirs"]),
    ours: state("ours"),
    created_at_ms: Number(row["created_at_ms"]),
    ...(row["resolved_at_ms"] !== null && { resolved_at_ms: Number(row["resolved_at_ms"]) }),
    ...(row["resolution"] !== null && {
      resolution: String(row["resolution"]) as NonNullable<Conflict["resolution"]>,
    }),
  };
}

/** In the order in which they were found. */
export function listConflicts(place: Place, { into, doc, status, after, limit }: ConflictPage) {
  const { bid } = requireBranch(place, into);
  const filter = status === undefined ? "" : "AND c.status = ?";
  const rows = place.connection
    .sql(
      `${selectConflict} WHERE c.into_bid = ? AND c.doc = ? AND c.cid > ? AND ${isShown} ${filter}
       ORDER BY c.cid LIMIT ?`,
    )
    .all(bid, findDoc(place, doc) ?? 0, after, ...(status === undefined ? [] : [status]), limit + 1);
  return { conflicts: rows.slice(0, limit).map(decodeConflict), hasMore: rows.length > limit };
}
