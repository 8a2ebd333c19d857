import * as z from "zod";
import {
  edgeSchema,
  nodeSchema,
  normaliseTags,
  showVersion,
  stubNode,
} from "../../../domain/memory/graph.ts";
import { defaultDocs, memoryLimits } from "../../../domain/memory/limits.ts";
import { defineMemory } from "../define-memory.ts";
import { branch, cursor, doc, limit, pagination, target } from "../fields.ts";
import { clampLimit, describePage } from "../paging.ts";
import { resolveScope } from "../scope.ts";
import { nodeIdField, tagList } from "./graph-fields.ts";

export const graphQuery = defineMemory({
  name: "graph_query",
  title: "Query a graph",
  summary: "Finds nodes of a graph as a branch sees it, newest first, and the edges between those it found.",
  effect: "read",
  input: {
    ids: z.array(nodeIdField).max(200).optional().describe("Only these nodes."),
    types: z.array(z.string().max(memoryLimits.word)).max(32).optional().describe("Only these types."),
    status: z.string().max(memoryLimits.word).optional().describe("Only this status."),
    tags_any: tagList.optional().describe("At least one of these tags."),
    tags_all: tagList.optional().describe("All of these tags."),
    text: z.string().min(1).max(500).optional().describe("Words that title or text contain."),
    include_edges: z.boolean().default(true).describe("Whether edges between the nodes are shown."),
    edges_limit: z
      .int()
      .min(0)
      .max(1_000_000_000)
      .default(200)
      .describe("How many edges, 0–1000; default 200."),
    include_deleted: z.boolean().default(false).describe("Whether deleted nodes are shown."),
    target: target.optional(),
    branch: branch.optional(),
    doc: doc.optional(),
    cursor: cursor.optional(),
    limit: limit(50),
  },
  output: {
    branch: z.string(),
    doc: z.string(),
    nodes: z.array(nodeSchema),
    edges: z.array(edgeSchema),
    pagination,
  },
  trim: {
    list: { key: "nodes", oldest: "last", cursor: ({ last_seq }) => last_seq, stub: stubNode },
    settle: dropLooseEdges,
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "NO_CHECKOUT", "STORAGE_ERROR"],
  examples: [
    { title: "everything, newest first", given: "a workspace with a graph", input: {} },
    {
      title: "open hypotheses about the pool",
      given: "a workspace with a graph",
      input: { types: ["hypothesis"], status: "open", text: "pool" },
    },
  ],

  async handle(input, memory) {
    const { target, branch, doc, cursor, text, ids, types, status, include_deleted: includeDeleted } = input;
    const place = resolveScope(memory, { target, branch, doc }, defaultDocs.graph);
    const limit = clampLimit(memory, input.limit);
    const { nodes, hasMore } = await memory.memory.queryNodes(memory.workspace, {
      ...place,
      ids,
      types,
      status,
      text,
      tagsAny: input.tags_any && normaliseTags(input.tags_any),
      tagsAll: input.tags_all && normaliseTags(input.tags_all),
      includeDeleted,
      before: cursor,
      limit,
    });
    const edgesLimit = input.include_edges ? clampLimit(memory, input.edges_limit, 1_000, 0) : 0;
    const found = nodes.flatMap((node) => (node.kind === "node" ? [node.id] : []));
    const edges = await memory.memory.edgesAmong(memory.workspace, place, found, edgesLimit);
    const next = nodes.at(-1)?.last_seq;
    return {
      ...place,
      nodes: nodes.map((node) => showVersion(node) as z.input<typeof nodeSchema>),
      edges: edges.map((edge) => showVersion(edge) as z.input<typeof edgeSchema>),
      pagination: describePage({ cursor, limit, count: nodes.length, hasMore, next }),
    };
  },
});

/** Edges stay while both their ends do, and never more of them than twice the nodes. */
function dropLooseEdges(result: Record<string, unknown>): Record<string, unknown> {
  const ids = new Set((result["nodes"] as { id: string }[]).map(({ id }) => id));
  const edges = (result["edges"] as { from: string; to: string }[]).filter(
    ({ from, to }) => ids.has(from) && ids.has(to),
  );
  return { ...result, edges: edges.slice(0, ids.size * 2) };
}
