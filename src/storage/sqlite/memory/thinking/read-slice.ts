import type { SlicePlan, StoredSlice } from "../../../../ports/memory/thinking.ts";
import { currentSeq } from "../../connection/sequence.ts";
import { diffBranches } from "../graph/diff-branches.ts";
import { queryEdges } from "../graph/edge-query.ts";
import type { GraphView } from "../graph/graph-view.ts";
import { readOverview } from "../tasks/task-reads.ts";
import { readSteps } from "../tasks/task-rows.ts";
import { neighboursOf } from "./neighbours.ts";
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
