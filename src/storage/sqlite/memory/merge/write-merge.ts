import type { Tally } from "../../../../domain/memory/graph/plan-versions.ts";
import type { MergeSides } from "../../../../domain/memory/merge/merge-sides.ts";
import type { Conclusion, VersionWrites } from "../../../../domain/memory/merge/merge-writes.ts";
import type { Conflict } from "../../../../domain/memory/steps/outcomes.ts";
import { removeFacets, writeFacets } from "../graph/graph-facets.ts";
import type { Place } from "../places.ts";

/** Call inside a write: the target has a graph of its own from this number on. */
export function openGraph(
  { connection }: Place,
  { into, doc, hasGraph }: MergeSides,
  firstSeq: number,
): void {
  if (hasGraph) return;
  connection
    .sql("INSERT INTO memory_streams (bid, doc, form, first_seq) VALUES (?, ?, 'graph', ?)")
    .run(into.branch, doc, firstSeq);
}

/** Call inside a write. The texts are copied from row to row. */
export function insertCopies(
  place: Place,
  { into, doc }: MergeSides,
  versions: VersionWrites["versions"],
  at: Date,
): void {
  if (versions.length === 0) return;
  const rows = versions.map(
    ({ seq, item, replaces = null, tally: { liveNodes, inheritedNodes, liveEdges } }) => [
      ...[seq, item.copyOf, replaces, liveNodes, inheritedNodes, liveEdges],
    ],
  );
  place.connection
    .sql(
      `INSERT INTO graph_versions (seq, doc, bid, key, kind, deleted, visible, superseded, replaces, live_nodes,
         inherited_nodes, live_edges, fingerprint, type, title, text, status, tags, meta, source, target, ts_ms)
       SELECT r.value ->> 0, v.doc, ?2, v.key, v.kind, v.deleted, 1, NULL, r.value ->> 2, r.value ->> 3, r.value ->> 4,
         r.value ->> 5, v.fingerprint, v.type, v.title, v.text, v.status, v.tags, v.meta, v.source, v.target, ?3
       FROM json_each(?1) r CROSS JOIN graph_versions v ON v.seq = r.value ->> 1`,
    )
    .run(JSON.stringify(rows), into.branch, at.getTime());
  const facets = versions.map(({ seq, item }) => [seq, item.facets] as const);
  if (facets.some(([, names]) => names.length > 0)) writeFacets({ place, doc, bid: into.branch }, facets);
}

/** Call inside a write. What no branch shows any more leaves the indexes; its words go when the full-text index catches up. */
export function supersede(
  place: Place,
  { into, doc }: { into: { branch: number }; doc: number },
  superseded: VersionWrites["superseded"],
): void {
  if (superseded.length === 0) return;
  const { sql } = place.connection;
  sql(
    `UPDATE graph_versions SET superseded = r.value ->> 1, visible = r.value ->> 2 FROM json_each(?) r
     WHERE graph_versions.seq = r.value ->> 0`,
  ).run(JSON.stringify(superseded.map(({ seq, by, hidden }) => [seq, by, hidden ? 0 : 1])));
  const hidden = superseded.filter((one) => one.hidden);
  if (hidden.length === 0) return;
  const facets = hidden.map(({ seq, facets }) => [seq, facets] as const);
  if (facets.some(([, names]) => names.length > 0)) removeFacets({ place, doc, bid: into.branch }, facets);
  sql(
    `INSERT OR IGNORE INTO graph_stale_words
     SELECT w.id FROM json_each(?) s JOIN graph_words_docsize w ON w.id = s.value`,
  ).run(JSON.stringify(hidden.map(({ seq }) => seq)));
}

/** Call inside a write. */
export function setTally(
  { connection }: Place,
  seq: number,
  { liveNodes, inheritedNodes, liveEdges }: Tally,
): void {
  connection
    .sql("UPDATE graph_versions SET live_nodes = ?, inherited_nodes = ?, live_edges = ? WHERE seq = ?")
    .run(liveNodes, inheritedNodes, liveEdges, seq);
}

/** Call inside a write, with the versions in place. */
export function writeConclusion(
  place: Place,
  sides: MergeSides,
  { settled, mark, moot, conflicts, known }: Conclusion,
  at: Date,
): void {
  const { sql } = place.connection;
  const { child, doc, from } = sides;
  settle(place, sides, settled);
  if (mark !== undefined)
    sql(
      `INSERT INTO graph_merged (bid, doc, from_bid, seq) VALUES (?, ?, ?, ?)
       ON CONFLICT (bid, doc, from_bid) DO UPDATE SET seq = excluded.seq`,
    ).run(child, doc, from.branch, mark);
  closeConflicts(place, moot, "moot", at);
  writeConflicts(place, sides, conflicts, "open");
  if (known)
    sql(
      `INSERT INTO graph_known_differences (bid, doc, seq, keys) VALUES (?, ?, ?, ?)
       ON CONFLICT (bid, doc) DO UPDATE SET seq = excluded.seq, keys = excluded.keys`,
    ).run(child, doc, known.seq, JSON.stringify(known.keys));
}

/** Call inside a write. */
export function settle(
  { connection, wid }: Place,
  { child, doc }: Pick<MergeSides, "child" | "doc">,
  keys: Conclusion["settled"],
): void {
  if (keys.length === 0) return;
  connection
    .sql(
      `INSERT INTO graph_settled (wid, bid, doc, key, seq)
       SELECT ?2, ?3, ?4, value ->> 0, value ->> 1 FROM json_each(?1) WHERE true
       ON CONFLICT (bid, doc, key) DO UPDATE SET seq = excluded.seq`,
    )
    .run(JSON.stringify(keys.map(({ key, seq }) => [key, seq ?? null])), wid, child, doc);
}

/**
 * Call inside a write. A collision that is known is opened again. One that is staged is seen by no one until it is
 * opened, and leaves one that was there before as it is.
 */
export function writeConflicts(
  { connection, wid }: Place,
  { doc, from, into }: MergeSides,
  conflicts: readonly Conflict[],
  status: "open" | "staged",
): void {
  if (conflicts.length === 0) return;
  const open = "UPDATE SET status = 'open', resolution = NULL, resolved_at_ms = NULL";
  const text = (state: Conflict["base"]) => (state === null ? null : JSON.stringify(state));
  const rows = conflicts.map(({ conflict_id, kind, key, base, theirs, ours, created_at_ms }) => [
    ...[conflict_id, kind, key, text(base), text(theirs), text(ours), created_at_ms],
  ]);
  connection
    .sql(
      `INSERT INTO graph_conflicts
         (wid, id, doc, from_bid, into_bid, kind, key, status, base, theirs, ours, created_at_ms)
       SELECT ?2, value ->> 0, ?3, ?4, ?5, value ->> 1, value ->> 2, ?6, value ->> 3, value ->> 4, value ->> 5, value ->> 6
       FROM json_each(?1) WHERE true ON CONFLICT (wid, id) DO ${status === "open" ? open : "NOTHING"}`,
    )
    .run(JSON.stringify(rows), wid, doc, from.branch, into.branch, status);
}

/** Call inside a write. Those that were staged or known are open now; the rest is returned. What else was staged goes. */
export function openStaged({ connection: { sql }, wid }: Place, conflicts: readonly Conflict[]): Conflict[] {
  const ids = JSON.stringify(conflicts.map(({ conflict_id }) => conflict_id));
  sql(
    "DELETE FROM graph_conflicts WHERE status = 'staged' AND id NOT IN (SELECT value FROM json_each(?))",
  ).run(ids);
  const known = sql(
    `UPDATE graph_conflicts SET status = 'open', resolution = NULL, resolved_at_ms = NULL
     WHERE wid = ? AND id IN (SELECT value FROM json_each(?)) RETURNING id`,
  ).all(wid, ids);
  const opened = new Set(known.map((row) => String(row["id"])));
  return conflicts.filter(({ conflict_id }) => !opened.has(conflict_id));
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
