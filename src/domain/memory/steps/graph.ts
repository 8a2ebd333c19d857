import { applyOps, deletedKeys, namedKeys } from "../graph/apply-ops.ts";
import { type GraphState, keyOf, stateOf } from "../graph.ts";
import { branchOrCheckout, type Deciding, type Draft, known, need, wantBranch } from "./draft.ts";
import { addVersions, contentOf, headOf, needHeads, viewOf } from "./graph-draft.ts";
import type { GraphScope } from "./rows.ts";
import type { StepInput, StepOutcome } from "./step.ts";

type Ops = StepInput<"apply_graph">["ops"];

export function* applyGraph(
  draft: Draft,
  { branch: name, doc, ops }: StepInput<"apply_graph">,
): Deciding<StepOutcome<"apply_graph">> {
  yield* need(draft, wantBranch(name), { kind: "doc", keys: [doc] });
  const branch = branchOrCheckout(draft, name);
  const view = yield* viewOf(draft, branch, doc);
  const facts = view ? yield* opsFacts(draft, view, ops) : { live: new Set<string>(), states: new Map() };
  const place = { branch: branch.name, doc };
  const { writes, counts } = applyOps({ workspace: draft.workspace, ...place, ...facts }, ops);
  const last = yield* addVersions(draft, branch, doc, writes.map(contentOf));
  return { ...place, ...counts, last_seq: last ?? 0, last_ts_ms: draft.at.getTime() };
}

function* opsFacts(draft: Draft, view: GraphScope, ops: Ops) {
  const doomed = deletedKeys(ops);
  const nodes = ops.flatMap((op) => (op.op === "node_delete" ? [op.id] : []));
  yield* need(
    draft,
    { kind: "current", keys: doomed, scope: view },
    { kind: "edgesAt", keys: nodes, scope: view },
    { kind: "tally", keys: [view.doc], scope: view },
    { kind: "branchedAt", keys: [view.bid] },
  );
  const keys = namedKeys(ops);
  yield* needHeads(draft, view, keys);
  const live = new Set(keys.filter((key) => headOf(draft, view, key)?.deleted === false));
  const states = new Map<string, GraphState>();
  for (const key of doomed) {
    const current = known(draft, "current", key, view);
    if (current) states.set(key, stateOf(current.version));
  }
  for (const node of nodes)
    for (const edge of known(draft, "edgesAt", node, view)) {
      states.set(keyOf(edge), stateOf(edge));
      live.add(keyOf(edge));
    }
  return { live, states };
}
