import {
  atOnce,
  brokenStore,
  noConflict,
  nowhere,
  onGraph,
  type Provocations,
  type Provoke,
  refused,
  twoPlaces,
} from "../../../../tests/catalogue/provoke.ts";
import { situations } from "../../../../tests/support/situations.ts";
import { createTestApp } from "../../../../tests/support/test-app.ts";

/** Resolves a conflict that was already resolved the other way. */
const resolvedOtherwise: Provoke = async (name, backend) => {
  const prepare = situations["a graph with a conflict"];
  if (!prepare) throw new Error("there is no such situation");
  const { client, conflict } = await prepare(createTestApp({ backend }));
  await client.call(name, { conflict_id: conflict, resolution: "use_into" });
  return refused(client, name, { conflict_id: conflict, resolution: "use_from" });
};

/** Branches are continually created from the target while a large merge is being staged. */
const outrun: Provoke = async (name, backend) => {
  const client = createTestApp({ backend }).modern();
  await client.call("init");
  await client.call("branch_create", { name: "side" });
  const ops = Array.from({ length: 600 }, (_, n) => ({ op: "node_upsert", id: `n${n}`, type: "fact" }));
  await client.call("graph_apply", { branch: "side", ops });
  let isOver = false;
  const refusal = refused(client, name, { from: "side", into: "main" }).finally(() => {
    isOver = true;
  });
  for (let n = 0; !isOver; n += 1) await client.call("branch_create", { name: `b${n}`, from: "main" });
  return refusal;
};

export const provocations: Provocations = {
  versions: { UNKNOWN_ID: atOnce({ id: "no-such-node" }), STORAGE_ERROR: brokenStore },
  walk: {
    INVALID_PAYLOAD: atOnce({ id: "h1", ...twoPlaces }),
    UNKNOWN_ID: atOnce({ id: "no-such-node" }),
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
    STORAGE_ERROR: brokenStore,
  },
  graph_validate: {
    INVALID_PAYLOAD: onGraph(twoPlaces),
    UNKNOWN_ID: onGraph(nowhere),
    STORAGE_ERROR: brokenStore,
  },
  graph_diff: { UNKNOWN_ID: onGraph({ from: "main", to: "nowhere" }), STORAGE_ERROR: brokenStore },
  graph_merge: {
    MERGE_NOT_SUPPORTED: onGraph({ from: "main", merge_to_base: true }),
    UNKNOWN_ID: onGraph({ from: "nowhere", merge_to_base: true }),
    CONFLICT: outrun,
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
