import * as z from "zod";
import { checkOp, type RawOp } from "../../../domain/memory/graph.ts";
import { memoryLimits } from "../../../domain/memory/limits.ts";
import { defineMemory } from "../define-memory.ts";
import { branch, doc, target } from "../fields.ts";
import { resolveWritableDoc } from "../scope.ts";
import { graphOp } from "./graph-fields.ts";

export const graphApply = defineMemory({
  name: "graph_apply",
  title: "Change a graph",
  summary: "Applies a batch of node and edge operations to a graph, all or none. Earlier versions are kept.",
  effect: "write",
  input: {
    ops: z.array(graphOp).min(1).max(memoryLimits.graphOps).describe("Operations, applied in order."),
    target: target.optional(),
    branch: branch.optional(),
    doc: doc.optional(),
  },
  output: {
    branch: z.string(),
    doc: z.string(),
    applied: z.strictObject({
      nodes_upserted: z.int(),
      nodes_deleted: z.int(),
      edges_upserted: z.int(),
      edges_deleted: z.int(),
    }),
    last_seq: z.int(),
    last_ts_ms: z.int(),
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    {
      title: "a hypothesis and the test for it",
      input: {
        ops: [
          { op: "node_upsert", id: "h1", type: "hypothesis", title: "The pool is too small", status: "open" },
          { op: "node_upsert", id: "t1", type: "test", title: "Double the pool for an hour", tags: ["prod"] },
          { op: "edge_upsert", from: "t1", rel: "supports", to: "h1" },
        ],
      },
    },
  ],

  async handle({ ops, ...asked }, memory) {
    const scope = await resolveWritableDoc(memory, asked, "graph");
    const checked = ops.map((op, at) => checkOp(op as RawOp, at));
    const [{ branch, doc, last_seq, last_ts_ms, ...applied }] = await memory.commit([
      { do: "apply_graph", ...scope, ops: checked },
    ]);
    return { branch, doc, applied, last_seq, last_ts_ms };
  },
});
