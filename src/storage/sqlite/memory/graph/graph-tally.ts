import type { GraphState } from "../../../../domain/memory/graph.ts";
import type { Segment } from "../../../../domain/memory/lineage.ts";
import type { GraphView, VersionRow, WritableGraph } from "./graph-view.ts";

/**
 * What a view counts. It is kept with every version, as of when that was written: so a branch finds what its base
 * counted at the moment of branching, and nothing has to be copied or counted when a branch is made.
 */
export type Tally = { liveNodes: number; inheritedNodes: number; liveEdges: number };

const nothing: Tally = { liveNodes: 0, inheritedNodes: 0, liveEdges: 0 };

/** As the branch itself last wrote it, within the segment; the newest version up to there is always visible. */
function tallyIn({ place, doc }: GraphView, { branch, upTo }: Segment): Tally | undefined {
  const row = place.connection
    .sql(
      `SELECT live_nodes, inherited_nodes, live_edges FROM graph_versions
       WHERE doc = ? AND bid = ? AND visible = 1 AND seq <= ? ORDER BY seq DESC LIMIT 1`,
    )
    .get(doc ?? 0, branch, upTo);
  return (
    row && {
      liveNodes: Number(row["live_nodes"]),
      inheritedNodes: Number(row["inherited_nodes"]),
      liveEdges: Number(row["live_edges"]),
    }
  );
}

export function tallyOf(view: GraphView): Tally {
  for (const [n, segment] of view.lineage.entries()) {
    const tally = tallyIn(view, segment);
    if (tally) return n === 0 ? tally : { ...tally, inheritedNodes: tally.liveNodes };
  }
  return nothing;
}

/** What it will be once `state` takes the place of what the view shows now. */
export function tallyAfter(graph: WritableGraph, state: GraphState, before: VersionRow | undefined): Tally {
  const { liveNodes, inheritedNodes, liveEdges } = tallyOf(graph);
  const lost = before && !before.deleted ? 1 : 0;
  const change = (state.deleted ? 0 : 1) - lost;
  if (state.kind === "edge") return { liveNodes, inheritedNodes, liveEdges: liveEdges + change };
  const disowned = before?.bid === graph.bid ? 0 : lost;
  return { liveNodes: liveNodes + change, inheritedNodes: inheritedNodes - disowned, liveEdges };
}

/** Segments that can hold a live node: beneath a branch that has overridden all it inherited there is none. */
export function* segmentsWithNodes(view: GraphView): Generator<Segment> {
  for (const segment of view.lineage) {
    yield segment;
    if (tallyIn(view, segment)?.inheritedNodes === 0) return;
  }
}
