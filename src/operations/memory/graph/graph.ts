import * as z from "zod";
import { checkOp, edgeKey, type RawOp } from "../../../domain/memory/graph.ts";
import { defaultDocs, memoryLimits } from "../../../domain/memory/limits.ts";
import { clampedLimit, limitOf } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { branch, branchName, cursor, describePage, doc, pagination, target } from "../fields.ts";
import { resolveDoc, resolveWritableDoc } from "../scope.ts";
import { changeSchema, changeSeq, graphOp, showChange, stubChange } from "./graph-schemas.ts";

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

export const graphValidate = defineMemory({
  name: "graph_validate",
  title: "Check a graph",
  summary: "Checks that both ends of every edge exist in the graph of a branch, and counts nodes and edges.",
  effect: "read",
  input: {
    max_errors: limitOf("errors", { min: 1, max: 200, default: 50 }),
    target: target.optional(),
    branch: branch.optional(),
    doc: doc.optional(),
  },
  output: {
    branch: z.string(),
    doc: z.string(),
    ok: z.boolean(),
    stats: z.strictObject({ nodes: z.int(), edges: z.int() }),
    errors: z.array(
      z.strictObject({
        code: z.string(),
        key: z.string(),
        message: z.string(),
        missing: z.array(z.string()).optional(),
      }),
    ),
    errors_total: z.int(),
  },
  trim: {
    list: { key: "errors", oldest: "last", stub: ({ code, key, message }) => ({ code, key, message }) },
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [{ title: "the graph of the checkout", given: "a workspace with a graph", input: {} }],

  async handle({ max_errors, ...asked }, memory) {
    const place = await resolveDoc(memory, asked, "graph");
    const { nodes, edges, dangling, danglingTotal } = await memory.memory.checkGraph(
      memory.workspace,
      place,
      max_errors,
      memory.signal,
    );
    return {
      ...place,
      ok: danglingTotal === 0,
      stats: { nodes, edges },
      errors: dangling.flatMap(({ edge, missing }) =>
        edge.kind === "edge"
          ? [
              {
                code: "EDGE_END_MISSING",
                key: edgeKey(edge),
                message: `The graph has no ${missing.join(" and no ")}.`,
                missing,
              },
            ]
          : [],
      ),
      errors_total: danglingTotal,
    };
  },
});

export const graphDiff = defineMemory({
  name: "graph_diff",
  title: "Compare two graphs",
  summary: "Shows the nodes and edges that differ between two branches, including deletions.",
  effect: "read",
  input: {
    from: branchName.describe("Branch to compare with."),
    to: branchName.describe("Branch whose states are shown."),
    doc: doc.optional(),
    cursor: cursor.optional(),
    limit: clampedLimit(50),
  },
  output: {
    from: z.string(),
    to: z.string(),
    doc: z.string(),
    changes: z.array(changeSchema),
    pagination,
  },
  trim: {
    list: {
      key: "changes",
      oldest: "last",
      cursor: changeSeq,
      stub: stubChange,
    },
  },
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    {
      title: "what the branch changed",
      given: "a workspace with a graph",
      input: { from: "main", to: "try/cache" },
    },
  ],

  async handle({ from, to, doc = defaultDocs.graph, cursor, limit }, memory) {
    const { changes, hasMore } = await memory.memory.diffGraph(memory.workspace, {
      from,
      to,
      doc,
      before: cursor,
      limit,
    });
    const next = changes.at(-1)?.last_seq;
    return {
      from,
      to,
      doc,
      changes: changes.map(showChange),
      pagination: describePage({ cursor, limit, count: changes.length, hasMore, next }),
    };
  },
});
