import type { GraphState } from "../../../../domain/memory/graph.ts";
import { stateOf } from "../../../../domain/memory/graph.ts";
import { decideResolution, type ResolutionFacts } from "../../../../domain/memory/merge/decide-resolution.ts";
import { unknownConflict } from "../../../../domain/memory/refusals.ts";
import type { Conflict, ConflictStatus } from "../../../../domain/memory/steps/outcomes.ts";
import type { StepInput, StepOutcome } from "../../../../domain/memory/steps/step.ts";
import type { ConflictPage } from "../../../../ports/memory/graph.ts";
import type { Row } from "../../connection/driver.ts";
import { parseColumn } from "../../connection/json-column.ts";
import { currentRows, edgesTouching, readVersions } from "../graph/graph-view.ts";
import { contentOf, openForWriting, writeVersions } from "../graph/write-versions.ts";
import { branchById, docName, findDoc, type Place, requireBranch } from "../places.ts";
import { type MergeSides, sidesOf } from "./merge-facts.ts";
import { forgetMarks } from "./merge-marks.ts";
import { settle } from "./settled.ts";

/** Call inside a write. The same collision may come back after it was resolved: it is open again then. */
export function openConflicts(sides: MergeSides, conflicts: readonly Conflict[]): void {
  const reopen = "UPDATE SET status = 'open', resolution = NULL, resolved_at_ms = NULL";
  for (const conflict of conflicts) insertConflict(sides, conflict, "open", reopen);
}

/** Call inside a write: nobody sees it before `publishConflicts`. One that was there before stays as it is until then. */
export function stageConflict(sides: MergeSides, conflict: Conflict): void {
  insertConflict(sides, conflict, "staged", "NOTHING");
}

/** Call inside a write. Whatever else was staged is gone then. */
export function publishConflicts(sides: MergeSides, conflicts: readonly Conflict[]): void {
  const { sql } = sides.place.connection;
  const { wid } = sides.place;
  const ids = JSON.stringify(conflicts.map(({ conflict_id }) => conflict_id));
  sql(
    "DELETE FROM graph_conflicts WHERE status = 'staged' AND id NOT IN (SELECT value FROM json_each(?))",
  ).run(ids);
  const known = sql(
    `UPDATE graph_conflicts SET status = 'open', resolution = NULL, resolved_at_ms = NULL
     WHERE wid = ? AND id IN (SELECT value FROM json_each(?)) RETURNING id`,
  ).all(wid, ids);
  const there = new Set(known.map((row) => String(row["id"])));
  openConflicts(
    sides,
    conflicts.filter(({ conflict_id }) => !there.has(conflict_id)),
  );
}

function insertConflict(
  { place, doc, from, into }: MergeSides,
  conflict: Conflict,
  status: "open" | "staged",
  otherwise: string,
): void {
  const json = (state: GraphState | null) => (state === null ? null : JSON.stringify(state));
  place.connection
    .sql(`INSERT INTO graph_conflicts
          (wid, id, doc, from_bid, into_bid, kind, key, status, base, theirs, ours, created_at_ms)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (wid, id) DO ${otherwise}`)
    .run(
      place.wid,
      conflict.conflict_id,
      doc,
      from.bid,
      into.bid,
      conflict.kind,
      conflict.key,
      status,
      json(conflict.base),
      JSON.stringify(conflict.theirs),
      json(conflict.ours),
      conflict.created_at_ms,
    );
}

/** Call inside a write. */
export function closeConflicts(
  { connection, wid }: Place,
  ids: readonly string[],
  resolution: "use_from" | "use_into" | "moot",
  at: Date,
): void {
  if (ids.length === 0) return;
  connection
    .sql(
      `UPDATE graph_conflicts SET status = 'resolved', resolution = ?, resolved_at_ms = ?
       WHERE wid = ? AND id IN (SELECT value FROM json_each(?))`,
    )
    .run(resolution, at.getTime(), wid, JSON.stringify(ids));
}

export function countOpenConflicts({ place, into, from, doc }: MergeSides): number {
  const row = place.connection
    .sql(
      `SELECT count(*) AS open FROM graph_conflicts
       WHERE into_bid = ? AND doc = ? AND from_bid = ? AND status = 'open'`,
    )
    .get(into.bid, doc, from.bid);
  return Number(row?.["open"] ?? 0);
}

/** One that waits is hidden with the branch it came from, and comes back with it; what was decided stays known. */
const isShown = `(c.status = 'resolved' OR c.status = 'open' AND EXISTS (
  SELECT 1 FROM memory_branches f WHERE f.bid = c.from_bid AND f.deleted_at_ms IS NULL))`;

/** By the place they are in the way of. */
export function conflictPlaces({ connection, wid }: Place): { into: string; doc: string; open: number }[] {
  return connection
    .sql(
      `SELECT b.name AS branch, d.name AS doc, count(*) AS open FROM memory_branches b
       JOIN graph_conflicts c INDEXED BY graph_conflicts_open ON c.into_bid = b.bid AND c.status = 'open'
       JOIN memory_docs d ON d.doc = c.doc WHERE b.wid = ? AND b.deleted_at_ms IS NULL AND ${isShown}
       GROUP BY b.bid, d.doc ORDER BY open DESC, branch, doc LIMIT 100`,
    )
    .all(wid)
    .map((row) => ({ into: String(row["branch"]), doc: String(row["doc"]), open: Number(row["open"]) }));
}

export function readConflict(place: Place, id: string): Conflict | undefined {
  const row = conflictRow(place, id);
  return row && decodeConflict(place, row);
}

function conflictRow({ connection, wid }: Place, id: string): Row | undefined {
  return connection
    .sql(
      `SELECT c.* FROM graph_conflicts c JOIN memory_branches b ON b.bid = c.into_bid AND b.deleted_at_ms IS NULL
       WHERE c.wid = ? AND c.id = ? AND ${isShown}`,
    )
    .get(wid, id);
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
      `SELECT c.* FROM graph_conflicts c WHERE c.into_bid = ? AND c.doc = ? AND c.cid > ? AND ${isShown} ${filter}
       ORDER BY c.cid LIMIT ?`,
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
  const [from, into] = [row["from_bid"], row["into_bid"]].map((bid) => branchById(place, Number(bid)));
  if (!from || !into) throw new Error(`the branches of ${id} are gone`);
  const sides = sidesOf(place, from, into, conflict.doc);
  const decision = decideResolution(loadResolutionFacts(sides, conflict), conflict.key, resolution);
  if (!decision) return { applied: false };
  if (decision.writes.length > 0)
    writeVersions(openForWriting(place, into, conflict.doc), decision.writes.map(contentOf), at);
  settle(sides, decision.settle);
  forgetMarks(sides);
  closeConflicts(place, [id], resolution, at);
  return { applied: resolution === "use_from" };
}

function loadResolutionFacts(sides: MergeSides, conflict: Conflict): ResolutionFacts {
  const { place, theirs, ours } = sides;
  const { key, kind } = conflict;
  const ends = conflict.theirs.kind === "edge" ? [conflict.theirs.from, conflict.theirs.to] : [];
  const [there, here] = [theirs, ours].map((view) => currentRows(view, [key, ...ends]));
  const states = readVersions(
    place,
    ends.flatMap((end) => there?.get(end)?.seq ?? []),
  );
  return {
    workspace: place.workspace,
    conflict,
    now: { theirs: there?.get(key), ours: here?.get(key) },
    ends: [...new Set(ends)].map((end) => {
      const node = there?.get(end);
      const stored = node && states.get(node.seq);
      return {
        id: end,
        theirs: node && stored && { ...node, state: stateOf(stored.version) },
        ours: here?.get(end),
      };
    }),
    edgesHere:
      kind === "node" ? [...edgesTouching(ours, [key]).values()].map(({ version }) => stateOf(version)) : [],
  };
}
