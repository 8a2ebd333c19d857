import * as z from "zod";
import { defineMemory } from "../define-memory.ts";
import { target } from "../fields.ts";
import { graphDoc, ref } from "./fields.ts";
import { resolveRef } from "./think-change.ts";

const maxErrors = 50;

export const thinkLint = defineMemory({
  name: "think_lint",
  title: "Check the cards",
  summary: "Checks that every edge between cards points to an existing card.",
  effect: "read",
  input: { target: target.optional(), ref, graph_doc: graphDoc },
  advanced: ["ref", "graph_doc"],
  output: {
    branch: z.string(),
    graph_doc: z.string(),
    ok: z.boolean(),
    stats: z.strictObject({ nodes: z.int(), edges: z.int() }),
    errors: z.array(
      z.strictObject({
        code: z.literal("EDGE_TARGET_MISSING"),
        edge: z.strictObject({ from: z.string(), rel: z.string(), to: z.string() }),
        missing: z.array(z.string()),
      }),
    ),
    errors_total: z.int(),
  },
  trim: { list: { key: "errors", oldest: "last", stub: (item) => item } },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [{ title: "of the checkout", given: "a workspace with cards", input: {} }],

  async handle(asked, memory) {
    const { branch, graph_doc } = await resolveRef(memory, asked);
    const health = await memory.memory.checkGraph(
      memory.workspace,
      { branch, doc: graph_doc },
      maxErrors,
      memory.signal,
    );
    const { nodes, edges, dangling, danglingTotal } = health;
    return {
      branch,
      graph_doc,
      ok: danglingTotal === 0,
      stats: { nodes, edges },
      errors: dangling.flatMap(({ edge, missing }) =>
        edge.kind === "edge"
          ? [
              {
                code: "EDGE_TARGET_MISSING" as const,
                edge: { from: edge.from, rel: edge.rel, to: edge.to },
                missing,
              },
            ]
          : [],
      ),
      errors_total: danglingTotal,
    };
  },
});
