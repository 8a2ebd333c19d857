import type { CardNode } from "../../../../domain/memory/cards/card.ts";
import type { GraphVersion } from "../../../../domain/memory/graph.ts";
import type { SlicePlan, StoredSlice } from "../../../../ports/memory/memory-store.ts";
import { toCard } from "../../../rows/memory-rows.ts";
import { currentSeq } from "../../connection/sequence.ts";
import { queryEdges } from "../graph/edge-query.ts";
import { diffBranches } from "../graph/graph-diff.ts";
import { currentAmong, currentRows, type GraphView, readVersions } from "../graph/graph-view.ts";
import { readOverview } from "../tasks/task-reads.ts";
import { readSteps } from "../tasks/task-rows.ts";
import { selectCards } from "./select-cards.ts";

/** Call inside one read, so that all of it is of one moment. */
export function readSlice<Name extends string>(
  view: GraphView,
  { task, filters, neighbours: near, edges, overview, difference }: SlicePlan<Name>,
): StoredSlice<Name> {
  const { place } = view;
  const steps = task === undefined ? [] : readSteps(place, task);
  const selected = selectCards(view, filters(steps));
  const neighbours = neighboursOf(view, near.of(selected), near.limit);
  const found = { steps, selected, neighbours };
  const between = { ids: edges.among(found), ends: "among", limit: edges.limit } as const;
  return {
    ...found,
    edges: queryEdges(view, between).edges,
    overview: overview && readOverview(place, overview.target, overview.limits),
    difference: difference && diffBranches(place, difference),
    asOfSeq: currentSeq(place.connection),
  };
}

type LiveNode = Extract<GraphVersion, { kind: "node" }>;

/** The live nodes with these ids, as the view shows them. */
export function loadNodes(view: GraphView, ids: Iterable<string>): Map<string, LiveNode> {
  const seqs = [...currentRows(view, ids).values()].filter(({ deleted }) => !deleted).map(({ seq }) => seq);
  const nodes = new Map<string, LiveNode>();
  for (const { key, version } of readVersions(view.place, seqs).values())
    if (version.kind === "node") nodes.set(key, version);
  return nodes;
}

/** Cards that share a live edge with one of these, newest edge first. */
function neighboursOf(view: GraphView, ids: readonly string[], limit: number): CardNode[] {
  if (view.doc === undefined || ids.length === 0 || limit === 0) return [];
  const select = (column: "source" | "target") =>
    `SELECT v.seq FROM json_each(?1) n CROSS JOIN graph_versions v
     ON v.doc = ?2 AND v.${column} = n.value AND v.visible = 1 AND v.kind = 'edge' AND v.deleted = 0`;
  const seqs = view.place.connection
    .sql(`SELECT seq FROM (${select("source")} UNION ${select("target")}) ORDER BY seq DESC LIMIT ?3`)
    .all(JSON.stringify(ids), view.doc, limit * 4)
    .map((row) => Number(row["seq"]));
  const others = currentAmong(view, seqs).flatMap(({ version }) =>
    version.kind === "edge" ? [version.from, version.to].filter((id) => !ids.includes(id)) : [],
  );
  return [...loadNodes(view, others).values()].flatMap(toCard).slice(0, limit);
}
