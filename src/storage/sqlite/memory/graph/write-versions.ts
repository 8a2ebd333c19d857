import {
  type HeldVersion,
  type PlannedVersion,
  planVersions,
  type Written,
} from "../../../../domain/memory/graph/plan-versions.ts";
import { fingerprint, type GraphState, keyOf } from "../../../../domain/memory/graph.ts";
import type { BranchRow } from "../../../../domain/memory/steps/rows.ts";
import { currentSeq, reachSeq } from "../../connection/sequence.ts";
import { loadLineage, openStream, type Place } from "../places.ts";
import { deleteFacets, insertFacets } from "./graph-facets.ts";
import { tallyOf } from "./graph-rows.ts";
import { currentRows, viewAlong, type WritableGraph } from "./graph-view.ts";

/** Call inside a write: the graph as it can be written, whether or not the branch has one yet. */
export function openForWriting(
  place: Place,
  { bid }: Pick<BranchRow, "bid">,
  docName: string,
  lineage = loadLineage(place, bid),
): WritableGraph {
  const doc = openStream(place, bid, docName, "graph", currentSeq(place.connection) + 1);
  return { ...viewAlong(place, lineage, doc), doc, bid };
}

/** A new version: a state, or the contents of a version that is there. */
export type VersionContent = Written & ({ state: GraphState } | { copyOf: number });

export const contentOf = (state: GraphState): VersionContent => ({
  key: keyOf(state),
  kind: state.kind,
  deleted: state.deleted,
  state,
});

/** Call inside a write: new versions on this branch, in this order. Returns the last seq, 0 where there were none. */
export function writeVersions(graph: WritableGraph, contents: readonly VersionContent[], at: Date): number {
  if (contents.length === 0) return 0;
  const { connection } = graph.place;
  const held = heldVersions(graph, contents);
  const plan = planVersions(
    { held, tally: tallyOf(graph), branchedAt: branchedAt(graph), firstSeq: currentSeq(connection) + 1 },
    contents,
  );
  const last = plan.rows.at(-1)?.seq ?? 0;
  // First, so that a merge that is staged there gives way.
  reachSeq(connection, last);
  supersede(graph, plan.superseded);
  insertVersions(graph, plan.rows, at);
  const visible = plan.rows.filter(({ superseded }) => superseded === undefined);
  insertFacets(
    graph,
    visible.map(({ seq }) => seq),
  );
  return last;
}

function heldVersions(graph: WritableGraph, contents: readonly Written[]): Map<string, HeldVersion> {
  const rows = currentRows(
    graph,
    contents.map(({ key }) => key),
  );
  const own = [...rows.values()].filter(({ bid }) => bid === graph.bid).map(({ seq }) => seq);
  const replaces = new Map(
    graph.place.connection
      .sql("SELECT v.seq, v.replaces FROM json_each(?) s JOIN graph_versions v ON v.seq = s.value")
      .all(JSON.stringify(own))
      .map((row) => [Number(row["seq"]), typeof row["replaces"] === "number" ? row["replaces"] : undefined]),
  );
  return new Map(
    [...rows].map(([key, { seq, bid, deleted }]) => [
      key,
      { seq, own: bid === graph.bid, deleted, replaces: replaces.get(seq) },
    ]),
  );
}

/** A deleted branch counts too: it may be restored, and shows then what it showed before. */
export function branchedAt({ place, bid }: Pick<WritableGraph, "place" | "bid">): number {
  const row = place.connection
    .sql("SELECT max(base_seq) AS at FROM memory_branches WHERE base = ? AND erased = 0")
    .get(bid);
  return Number(row?.["at"] ?? 0);
}

/** Call inside a write. What nobody shows any more leaves the indexes; its words go when the full-text index catches up. */
export function supersede(
  graph: Pick<WritableGraph, "place" | "doc" | "bid">,
  superseded: readonly { seq: number; by: number; hidden: boolean }[],
): void {
  const { sql } = graph.place.connection;
  const hidden = superseded.filter((one) => one.hidden).map(({ seq }) => seq);
  deleteFacets(graph, hidden);
  const update = sql("UPDATE graph_versions SET superseded = ?, visible = ? WHERE seq = ?");
  for (const { seq, by, hidden } of superseded) update.run(by, hidden ? 0 : 1, seq);
  if (hidden.length > 0)
    sql(
      `INSERT OR IGNORE INTO graph_stale_words
       SELECT w.id FROM json_each(?) s JOIN graph_words_docsize w ON w.id = s.value`,
    ).run(JSON.stringify(hidden));
}

const columns = `seq, doc, bid, key, kind, deleted, visible, superseded, replaces, live_nodes, inherited_nodes,
  live_edges, fingerprint, type, title, text, status, tags, meta, source, target, ts_ms`;

export function insertVersions(
  { place, doc, bid }: WritableGraph,
  rows: readonly PlannedVersion<VersionContent>[],
  at: Date,
): void {
  const { sql } = place.connection;
  const insert = sql(`INSERT INTO graph_versions (${columns})
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const copy = sql(`INSERT INTO graph_versions (${columns})
    SELECT ?, doc, ?, key, kind, deleted, ?, ?, ?, ?, ?, ?, fingerprint, type, title, text, status, tags, meta,
    source, target, ? FROM graph_versions WHERE seq = ?`);
  for (const { seq, item, replaces = null, superseded = null, tally } of rows) {
    const { liveNodes, inheritedNodes, liveEdges } = tally;
    const standing = [
      superseded === null ? 1 : 0,
      superseded,
      replaces,
      liveNodes,
      inheritedNodes,
      liveEdges,
    ];
    if ("copyOf" in item) copy.run(seq, bid, ...standing, at.getTime(), item.copyOf);
    else
      insert.run(
        ...[seq, doc, bid, item.key, item.kind, item.deleted ? 1 : 0, ...standing],
        ...contentColumns(item.state),
        at.getTime(),
      );
  }
}

function contentColumns(state: GraphState): (string | null)[] {
  const node = state.kind === "node" ? state : undefined;
  const edge = state.kind === "edge" ? state : undefined;
  return [
    fingerprint(state),
    node?.type ?? edge?.rel ?? "",
    node?.title ?? null,
    node?.text ?? null,
    node?.status ?? null,
    node?.tags && node.tags.length > 0 ? JSON.stringify(node.tags) : null,
    state.meta === undefined ? null : JSON.stringify(state.meta),
    edge?.from ?? null,
    edge?.to ?? null,
  ];
}
