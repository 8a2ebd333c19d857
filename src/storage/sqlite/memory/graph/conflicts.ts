import type { GraphState } from "../../../../domain/memory/graph.ts";
import { unknownConflict } from "../../../../domain/memory/refusals.ts";
import { ThoughtboxError } from "../../../../kernel/errors.ts";
import type { Conflict, ConflictPage, ConflictStatus } from "../../../../ports/memory/graph.ts";
import type { StepInput, StepOutcome } from "../../../../ports/memory/steps.ts";
import type { Row } from "../../connection/driver.ts";
import { parseColumn } from "../../connection/json-column.ts";
import { branchById, docName, findDoc, type Place, requireBranch } from "../places.ts";
import { openForWriting, writeVersion } from "./graph-write.ts";

export function isKnownConflict({ connection, wid }: Place, id: string): boolean {
  return connection.sql("SELECT 1 FROM graph_conflicts WHERE wid = ? AND id = ?").get(wid, id) !== undefined;
}

/** Call inside a write. */
export function insertConflict(
  { connection, wid }: Place,
  conflict: Conflict,
  numbers: { doc: number; from: number; into: number },
): void {
  const json = (state: GraphState | null) => (state === null ? null : JSON.stringify(state));
  connection
    .sql(`INSERT INTO graph_conflicts
          (wid, id, doc, from_bid, into_bid, kind, key, status, base, theirs, ours, created_at_ms)
          VALUES (?, ?, ?, ?, ?, ?, ?, 'open', ?, ?, ?, ?)`)
    .run(
      wid,
      conflict.conflict_id,
      numbers.doc,
      numbers.from,
      numbers.into,
      conflict.kind,
      conflict.key,
      json(conflict.base),
      JSON.stringify(conflict.theirs),
      json(conflict.ours),
      conflict.created_at_ms,
    );
}

export function readConflict(place: Place, id: string): Conflict | undefined {
  const row = conflictRow(place, id);
  return row && decodeConflict(place, row);
}

function conflictRow({ connection, wid }: Place, id: string): Row | undefined {
  return connection.sql("SELECT * FROM graph_conflicts WHERE wid = ? AND id = ?").get(wid, id);
}

function decodeConflict(place: Place, row: Row): Conflict & { order: number } {
  const state = (column: "base" | "ours") =>
    row[column] === null ? null : parseColumn<GraphState>(row[column]);
  return {
    order: Number(row["cid"]),
    conflict_id: String(row["id"]),
    kind: row["kind"] === "edge" ? "edge" : "node",
    key: String(row["key"]),
    from: branchById(place, Number(row["from_bid"])).name,
    into: branchById(place, Number(row["into_bid"])).name,
    doc: docName(place, Number(row["doc"])),
    status: String(row["status"]) as ConflictStatus,
    base: state("base"),
    theirs: parseColumn<GraphState>(row["theirs"]),
    ours: state("ours"),
    created_at_ms: Number(row["created_at_ms"]),
    ...(row["resolved_at_ms"] !== null && { resolved_at_ms: Number(row["resolved_at_ms"]) }),
    ...(row["resolution"] !== null && {
      resolution: row["resolution"] === "use_from" ? ("use_from" as const) : ("use_into" as const),
    }),
  };
}

/** In the order in which they were found. */
export function listConflicts(place: Place, { into, doc, status, after, limit }: ConflictPage) {
  const { bid } = requireBranch(place, into);
  const filter = status === undefined ? "" : "AND status = ?";
  const rows = place.connection
    .sql(
      `SELECT * FROM graph_conflicts WHERE into_bid = ? AND doc = ? AND cid > ? ${filter} ORDER BY cid LIMIT ?`,
    )
    .all(bid, findDoc(place, doc) ?? 0, after, ...(status === undefined ? [] : [status]), limit + 1);
  return {
    conflicts: rows.slice(0, limit).map((row) => decodeConflict(place, row)),
    hasMore: rows.length > limit,
  };
}

/** Call inside a write. Resolving the same way again is no news; the other way is refused. */
export function resolveConflict(
  place: Place,
  { id, resolution }: StepInput<"resolve_conflict">,
  at: Date,
): StepOutcome<"resolve_conflict"> {
  const row = conflictRow(place, id);
  if (!row) throw unknownConflict(place.workspace, id);
  const conflict = decodeConflict(place, row);
  if (conflict.status === "resolved") {
    if (conflict.resolution === resolution) return { applied: false };
    throw alreadyResolved(place.workspace, conflict);
  }
  if (resolution === "use_from") {
    const into = requireBranch(place, conflict.into);
    writeVersion(openForWriting(place, into, conflict.doc), conflict.theirs, at);
  }
  place.connection
    .sql("UPDATE graph_conflicts SET status = 'resolved', resolution = ?, resolved_at_ms = ? WHERE cid = ?")
    .run(resolution, at.getTime(), conflict.order);
  return { applied: resolution === "use_from" };
}

function alreadyResolved(workspace: string, { conflict_id, resolution }: Conflict): ThoughtboxError {
  return new ThoughtboxError(
    "CONFLICT",
    `${conflict_id} was resolved by ${resolution} before; that stands.`,
    {
      details: { conflict_id, resolution },
      recovery: {
        hint: "See what was decided; change the graph itself by graph_apply.",
        operation: "graph_conflict_show",
        args: { workspace, conflict_id },
      },
    },
  );
}
