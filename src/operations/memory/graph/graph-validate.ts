import * as z from "zod";
import { edgeKey } from "../../../domain/memory/graph.ts";
import { limitOf } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { branch, doc, target } from "../fields.ts";
import { resolveDoc } from "../scope.ts";

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
                message: `It needs ${missing.join(" and ")}.`,
                missing,
              },
            ]
          : [],
      ),
      errors_total: danglingTotal,
    };
  },
});
