import type { Tally } from "../../../../domain/memory/graph/plan-versions.ts";
import type { Segment } from "../../../../domain/memory/lineage.ts";
import type { GraphView } from "./graph-view.ts";

const empty: Tally = { liveNodes: 0, inheritedNodes: 0, liveEdges: 0 };

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
  return empty;
}

/** Segments that can hold a live node: beneath a branch that has overridden all it inherited there is none. */
export function* segmentsWithNodes(view: GraphView): Generator<Segment> {
  for (const segment of view.lineage) {
    yield segment;
    if (tallyIn(view, segment)?.inheritedNodes === 0) return;
  }
}
