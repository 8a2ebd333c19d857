import type { GraphVersion } from "../../../../domain/memory/graph.ts";
import { currentRows, type GraphView, readVersions } from "../graph/graph-view.ts";

export type LiveNode = Extract<GraphVersion, { kind: "node" }>;

/** The live nodes with these ids, as the view shows them. */
export function loadNodes(view: GraphView, ids: Iterable<string>): Map<string, LiveNode> {
  const seqs = [...currentRows(view, ids).values()].filter(({ deleted }) => !deleted).map(({ seq }) => seq);
  const nodes = new Map<string, LiveNode>();
  for (const { key, version } of readVersions(view.place, seqs).values())
    if (version.kind === "node") nodes.set(key, version);
  return nodes;
}
