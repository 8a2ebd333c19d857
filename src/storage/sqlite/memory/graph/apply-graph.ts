import { applyOps, deletedKeys, namedKeys } from "../../../../domain/memory/graph/apply-ops.ts";
import { type GraphState, stateOf } from "../../../../domain/memory/graph.ts";
import type { StepInput, StepOutcome } from "../../../../domain/memory/steps/step.ts";
import { branchOrCheckout, type Place } from "../places.ts";
import { currentRows, edgesTouching, readVersions } from "./graph-view.ts";
import { contentOf, openForWriting, writeVersions } from "./write-versions.ts";

/** Call inside a write. */
export function applyGraph(
  place: Place,
  { branch: named, doc, ops }: StepInput<"apply_graph">,
  at: Date,
): StepOutcome<"apply_graph"> {
  const branch = branchOrCheckout(place, named);
  const graph = openForWriting(place, branch, doc);
  const rows = currentRows(graph, namedKeys(ops));
  const live = new Set([...rows.values()].filter(({ deleted }) => !deleted).map(({ key }) => key));
  const doomed = deletedKeys(ops).flatMap((key) => rows.get(key)?.seq ?? []);
  const nodes = ops.flatMap((op) => (op.op === "node_delete" ? [op.id] : []));
  const edges = edgesTouching(graph, nodes);
  const states = new Map<string, GraphState>();
  for (const { key, version } of [...readVersions(place, doomed).values(), ...edges.values()])
    states.set(key, stateOf(version));
  for (const key of edges.keys()) live.add(key);
  const facts = { workspace: place.workspace, branch: branch.name, doc, live, states };
  const { writes, counts } = applyOps(facts, ops);
  const last_seq = writeVersions(graph, writes.map(contentOf), at);
  return { branch: branch.name, doc, ...counts, last_seq, last_ts_ms: at.getTime() };
}
