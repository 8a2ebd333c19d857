import type { GraphState, GraphVersion } from "../../../../domain/memory/graph.ts";
import type { BranchRow } from "../../../../domain/memory/steps/rows.ts";
import { currentRows, edgesTouching, type GraphView, readVersions } from "../graph/graph-view.ts";
import { contentOf, openForWriting, writeVersions } from "../graph/write-versions.ts";
import type { Place } from "../places.ts";

export type LiveNode = Extract<GraphVersion, { kind: "node" }>;

/** The live nodes with these ids, as the view shows them. */
export function loadNodes(view: GraphView, ids: Iterable<string>): Map<string, LiveNode> {
  const seqs = [...currentRows(view, ids).values()].filter(({ deleted }) => !deleted).map(({ seq }) => seq);
  const nodes = new Map<string, LiveNode>();
  for (const { key, version } of readVersions(view.place, seqs).values())
    if (version.kind === "node") nodes.set(key, version);
  return nodes;
}

/** Keys of the live edges that begin or end at these nodes. */
export const liveEdgesAt = (view: GraphView, ids: readonly string[]): Set<string> =>
  new Set(edgesTouching(view, [...new Set(ids)]).keys());

/** Call inside a write. Returns the last seq that was used; `undefined` where nothing was written. */
export function writeStates(
  place: Place,
  branch: BranchRow,
  doc: string,
  states: readonly GraphState[],
  at: Date,
): number | undefined {
  if (states.length === 0) return undefined;
  return writeVersions(openForWriting(place, branch, doc), states.map(contentOf), at);
}
