import { applyOps, deletedKeys, namedKeys } from "../graph/apply-ops.ts";
import { type GraphState, keyOf, stateOf } from "../graph.ts";
import { bootstrap, checkout, createBranch, deleteBranch, renameBranch, restoreBranch } from "./branches.ts";
import { think } from "./cards.ts";
import {
  addEntry,
  branchOrCheckout,
  type Deciding,
  type Draft,
  known,
  need,
  wantBranch,
  workspaceOf,
  write,
} from "./draft.ts";
import { addVersions, contentOf, headOf, needHeads, viewOf } from "./graph-draft.ts";
import { changeJob, createJob, keepRunner } from "./jobs.ts";
import { mergeGraph, mergeNotes, mergeThoughts, resolveConflict } from "./merges.ts";
import { commit, createTag, deleteTag, reset } from "./refs.ts";
import type { GraphScope } from "./rows.ts";
import type { MemoryStep, StepInput, StepName, StepOutcome } from "./step.ts";
import { changeTask, createTask, setFocus } from "./tasks.ts";

type Rules = {
  [Name in StepName]: (draft: Draft, input: StepInput<Name>) => Deciding<StepOutcome<Name> | undefined>;
};

const rules: Rules = {
  bootstrap,
  create_branch: createBranch,
  checkout,
  rename_branch: renameBranch,
  delete_branch: deleteBranch,
  restore_branch: restoreBranch,
  append,
  apply_graph: applyGraph,
  merge_graph: mergeGraph,
  merge_notes: mergeNotes,
  merge_thoughts: mergeThoughts,
  resolve_conflict: resolveConflict,
  commit,
  reset,
  create_tag: createTag,
  delete_tag: deleteTag,
  think,
  create_task: createTask,
  change_task: changeTask,
  set_focus: setFocus,
  create_job: createJob,
  change_job: changeJob,
  runner_heartbeat: keepRunner,
  change_anchors: changeAnchors,
};

export function decideStep(draft: Draft, step: MemoryStep): Deciding<unknown> {
  const rule = rules[step.do] as (draft: Draft, input: unknown) => Deciding<unknown>;
  return rule(draft, step);
}

function* changeAnchors(
  draft: Draft,
  { names, decide }: StepInput<"change_anchors">,
): Deciding<StepOutcome<"change_anchors">> {
  yield* need(draft, { kind: "anchors", keys: [""] }, { kind: "carried", keys: names });
  const decision = decide({
    workspace: draft.workspace,
    now_ms: draft.at.getTime(),
    anchors: new Map(known(draft, "anchors", "").map((anchor) => [anchor.id, anchor])),
    carried: new Set(names.filter((name) => known(draft, "carried", name))),
  });
  const { wid } = workspaceOf(draft);
  for (const id of decision.removed) write(draft, "anchor", { wid, id, anchor: undefined });
  for (const anchor of decision.put) write(draft, "anchor", { wid, id: anchor.id, anchor });
  draft.forgets = true;
  return decision;
}

function* append(
  draft: Draft,
  { branch: name, doc, entry }: StepInput<"append">,
): Deciding<StepOutcome<"append">> {
  yield* need(draft, wantBranch(name));
  return yield* addEntry(draft, branchOrCheckout(draft, name), doc, entry, { appended: true });
}

type Ops = StepInput<"apply_graph">["ops"];

function* applyGraph(
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
