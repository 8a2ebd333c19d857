import { situations } from "../support/situations.ts";
import { createTestApp, startThinking } from "../support/test-app.ts";
import { atOnce, brokenStore, type Provocations, type Provoke, refused } from "./provoke.ts";

/** In one of the prepared situations. */
const given =
  (situation: string, args: Record<string, unknown>): Provoke =>
  async (name, backend) => {
    const prepare = situations[situation];
    if (!prepare) throw new Error(`there is no situation ${situation}`);
    const { client, conflict } = await prepare(createTestApp({ backend }));
    return refused(client, name, {
      ...args,
      ...(args["conflict_id"] === "$conflict" && { conflict_id: conflict }),
    });
  };

const onBranch = (args: Record<string, unknown>) => given("a workspace with a branch", args);
const onCommits = (args: Record<string, unknown>) => given("a workspace with commits", args);
const onGraph = (args: Record<string, unknown>) => given("a workspace with a graph", args);

/** `make` tells what to ask for a branch that is a session. */
const onLedger =
  (make: (branch: string) => Record<string, unknown>): Provoke =>
  async (name, backend) => {
    const client = createTestApp({ backend }).modern();
    return refused(client, name, make(`session/${await startThinking(client)}`));
  };

/** Resolved one way already, and now the other. */
const resolvedOtherwise: Provoke = async (name, backend) => {
  const prepare = situations["a graph with a conflict"];
  if (!prepare) throw new Error("there is no such situation");
  const { client, conflict } = await prepare(createTestApp({ backend }));
  await client.call(name, { conflict_id: conflict, resolution: "use_into" });
  return refused(client, name, { conflict_id: conflict, resolution: "use_from" });
};

const noConflict = `CONFLICT-${"0".repeat(32)}`;
const twoPlaces = { target: "TASK-001", branch: "main" };
const nowhere = { branch: "nowhere" };
const wrongDoc = { ref: "plan@2" };

/** How each declared code of each operation of the memory comes about. */
export const memoryProvocations: Provocations = {
  init: { STORAGE_ERROR: brokenStore },
  status: { STORAGE_ERROR: brokenStore },
  diagnostics: { UNKNOWN_ID: atOnce({ target: "TASK-001" }), STORAGE_ERROR: brokenStore },
  notes_commit: {
    INVALID_PAYLOAD: atOnce({ content: "x", ...twoPlaces }),
    UNKNOWN_ID: atOnce({ content: "x", ...nowhere }),
    STORAGE_ERROR: brokenStore,
  },
  show: {
    INVALID_PAYLOAD: onBranch(twoPlaces),
    UNKNOWN_ID: onBranch(nowhere),
    NO_CHECKOUT: atOnce({}),
    STORAGE_ERROR: brokenStore,
  },
  macro_branch_note: {
    INVALID_PAYLOAD: atOnce({ name: "try/queue" }),
    UNKNOWN_ID: atOnce({ from: "nowhere", content: "x" }),
    STORAGE_ERROR: brokenStore,
  },
  branch_create: {
    CONFLICT: onBranch({ name: "try/cache" }),
    INVALID_PAYLOAD: atOnce({ name: "task/TASK-001" }),
    UNKNOWN_ID: atOnce({ name: "try/queue", from: "nowhere" }),
    STORAGE_ERROR: brokenStore,
  },
  branch_list: { STORAGE_ERROR: brokenStore },
  branch_rename: {
    CONFLICT: onBranch({ old: "try/cache", new: "main" }),
    UNKNOWN_ID: onBranch({ old: "nowhere", new: "somewhere" }),
    INVALID_PAYLOAD: onBranch({ old: "try/cache", new: "plan/PLAN-001" }),
    STORAGE_ERROR: brokenStore,
  },
  branch_delete: {
    CONFLICT: onBranch({ name: "main" }),
    UNKNOWN_ID: onBranch({ name: "nowhere" }),
    INVALID_PAYLOAD: onBranch({ name: "task/TASK-001" }),
    STORAGE_ERROR: brokenStore,
  },
  checkout: {
    UNKNOWN_ID: atOnce({ ref: "nowhere" }),
    INVALID_PAYLOAD: onLedger((ref) => ({ ref })),
    STORAGE_ERROR: brokenStore,
  },
  docs_list: {
    INVALID_PAYLOAD: onCommits(wrongDoc),
    UNKNOWN_ID: onCommits({ ref: "nowhere" }),
    NO_CHECKOUT: atOnce({}),
    STORAGE_ERROR: brokenStore,
  },
  commit: { STORAGE_ERROR: brokenStore },
  log: {
    INVALID_PAYLOAD: onCommits(wrongDoc),
    UNKNOWN_ID: onCommits({ ref: "notes@999" }),
    NO_CHECKOUT: atOnce({}),
    STORAGE_ERROR: brokenStore,
  },
  tag_create: {
    CONFLICT: onCommits({ name: "v1" }),
    INVALID_PAYLOAD: onCommits({ name: "v2", from: "plan@2" }),
    UNKNOWN_ID: onBranch({ name: "v1" }),
    NO_CHECKOUT: atOnce({ name: "v1" }),
    STORAGE_ERROR: brokenStore,
  },
  tag_list: { STORAGE_ERROR: brokenStore },
  tag_delete: { UNKNOWN_ID: atOnce({ name: "v1" }), STORAGE_ERROR: brokenStore },
  reflog: {
    INVALID_PAYLOAD: onCommits(wrongDoc),
    UNKNOWN_ID: onCommits({ ref: "nowhere" }),
    NO_CHECKOUT: atOnce({}),
    STORAGE_ERROR: brokenStore,
  },
  reset: {
    INVALID_PAYLOAD: onCommits(wrongDoc),
    UNKNOWN_ID: onBranch({ ref: "notes@2" }),
    NO_CHECKOUT: atOnce({ ref: "notes@2" }),
    STORAGE_ERROR: brokenStore,
  },
  diff: { UNKNOWN_ID: onBranch({ from: "main", to: "nowhere" }), STORAGE_ERROR: brokenStore },
  merge: {
    MERGE_NOT_SUPPORTED: onBranch({ from: "main", merge_to_base: true }),
    UNKNOWN_ID: onBranch({ from: "nowhere" }),
    INVALID_PAYLOAD: onBranch({ from: "main", into: "main" }),
    NO_CHECKOUT: atOnce({ from: "main" }),
    STORAGE_ERROR: brokenStore,
  },
  open: {
    UNKNOWN_ID: atOnce({ id: "nothing" }),
    INVALID_PAYLOAD: onCommits({ id: "plan@2" }),
    STORAGE_ERROR: brokenStore,
  },
  graph_apply: {
    INVALID_PAYLOAD: atOnce({ ops: [{ op: "node_upsert", id: "task:1", type: "note" }] }),
    UNKNOWN_ID: atOnce({ ...nowhere, ops: [{ op: "node_upsert", id: "a", type: "note" }] }),
    STORAGE_ERROR: brokenStore,
  },
  graph_query: {
    INVALID_PAYLOAD: onGraph(twoPlaces),
    UNKNOWN_ID: onGraph(nowhere),
    NO_CHECKOUT: atOnce({}),
    STORAGE_ERROR: brokenStore,
  },
  graph_validate: {
    INVALID_PAYLOAD: onGraph(twoPlaces),
    UNKNOWN_ID: onGraph(nowhere),
    NO_CHECKOUT: atOnce({}),
    STORAGE_ERROR: brokenStore,
  },
  graph_diff: { UNKNOWN_ID: onGraph({ from: "main", to: "nowhere" }), STORAGE_ERROR: brokenStore },
  graph_merge: {
    MERGE_NOT_SUPPORTED: onGraph({ from: "main", merge_to_base: true }),
    UNKNOWN_ID: onGraph({ from: "nowhere", merge_to_base: true }),
    INVALID_PAYLOAD: onGraph({ from: "main", into: "main" }),
    NO_CHECKOUT: atOnce({ from: "main" }),
    STORAGE_ERROR: brokenStore,
  },
  graph_conflicts: { UNKNOWN_ID: onGraph({ into: "nowhere" }), STORAGE_ERROR: brokenStore },
  graph_conflict_show: { UNKNOWN_ID: atOnce({ conflict_id: noConflict }), STORAGE_ERROR: brokenStore },
  graph_conflict_resolve: {
    UNKNOWN_ID: atOnce({ conflict_id: noConflict, resolution: "use_from" }),
    CONFLICT: resolvedOtherwise,
    STORAGE_ERROR: brokenStore,
  },
};
