import * as z from "zod";
import { normaliseTags } from "../../../domain/memory/graph.ts";
import { memoryLimits } from "../../../domain/memory/limits.ts";
import { clampedLimit, limitOf } from "../../pipeline/fields.ts";
import type { Json, ListPlan } from "../../pipeline/fit/trim.ts";
import { defineMemory } from "../define-memory.ts";
import { branch, cursor, describePage, doc, pagination, target } from "../fields.ts";
import { groundShape, markCards } from "../ground/read-ground.ts";
import { resolveDoc } from "../scope.ts";
import {
  edgeSchema,
  moment,
  nodeIdField,
  nodeSchema,
  readMoment,
  showVersion,
  stubNode,
  tagList,
} from "./graph-schemas.ts";
import { openGraph } from "./session-graph.ts";

const markedSchema = nodeSchema.extend({
  ...groundShape,
  rests_on_reversed: z.array(z.string()).optional(),
});

export const graphQuery = defineMemory({
  name: "graph_query",
  title: "Query a graph",
  summary:
    "Finds nodes in the graph of a branch, newest first, and the edges between them. The session/<id> branch shows the thoughts of a session.",
  effect: "read",
  input: {
    ids: z.array(nodeIdField).max(200).optional().describe("Only these nodes."),
    types: z
      .array(z.string().max(memoryLimits.word))
      .max(32)
      .optional()
      .describe("Only nodes of these types."),
    status: z.string().max(memoryLimits.word).optional().describe("Only nodes with this status."),
    tags_any: tagList.optional().describe("At least one of these tags."),
    tags_all: tagList.optional().describe("All of these tags."),
    text: z.string().min(1).max(500).optional().describe("Words in the title or text."),
    include_edges: z.boolean().default(true).describe("Include edges between the nodes. Default: true."),
    edges_limit: limitOf("edges", { max: 1_000, default: 200 }),
    touching: z
      .array(nodeIdField)
      .max(200)
      .optional()
      .describe("Nodes whose edges are shown in both directions, even to nodes that the query did not find."),
    edges_cursor: cursor
      .optional()
      .describe("edges_next_cursor from the previous page. Omit to start with the newest edges."),
    include_deleted: z.boolean().default(false).describe("Include deleted nodes. Default: false."),
    marks: z
      .boolean()
      .default(false)
      .describe("Marks cards whose files changed or that are based on a reversed decision. Default: false."),
    as_of: moment.optional(),
    target: target.optional(),
    branch: branch.optional(),
    doc: doc.optional(),
    cursor: cursor.optional(),
    limit: clampedLimit(50),
  },
  output: {
    branch: z.string(),
    doc: z.string(),
    nodes: z.array(markedSchema),
    edges: z.array(edgeSchema),
    edges_total: z.int(),
    edges_has_more: z.boolean(),
    edges_next_cursor: z.int().optional(),
    pagination,
  },
  trim: (_answer, { touching }) => ({
    // Explicitly requested edges are kept even if this page does not show their nodes.
    ...(touching === undefined
      ? { list: [edgeList, nodeList], adjust: dropLooseEdges }
      : { list: [nodeList, edgeList], adjust: describeEdges }),
    goesOn: (args, { edges_next_cursor: edges_cursor }) =>
      edges_cursor === undefined ? [] : [{ operation: "graph_query", args: { ...args, edges_cursor } }],
  }),
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    { title: "everything, newest first", given: "a workspace with a graph", input: {} },
    {
      title: "open hypotheses about the pool",
      given: "a workspace with a graph",
      input: { types: ["hypothesis"], status: "open", text: "pool" },
    },
    { title: "as it was on a given day", given: "a workspace with a graph", input: { as_of: "2026-11-17" } },
  ],

  async handle(input, memory) {
    const { target, branch, doc, cursor, text, ids, types, status, include_deleted: includeDeleted } = input;
    const place = await resolveDoc(memory, { target, branch, doc }, "graph");
    const { limit } = input;
    const asOf = input.as_of === undefined ? undefined : readMoment(input.as_of);
    const read = await openGraph(memory, place.branch);
    const { nodes, hasMore, ...beside } = await read(
      {
        ...place,
        ids,
        types,
        status,
        text,
        tagsAny: input.tags_any && normaliseTags(input.tags_any),
        tagsAll: input.tags_all && normaliseTags(input.tags_all),
        includeDeleted,
        asOf,
        before: cursor,
        limit,
      },
      {
        touching: input.touching,
        before: input.edges_cursor,
        limit: input.include_edges ? input.edges_limit : 0,
      },
    );
    const cards = nodes.flatMap((node) => (node.kind === "node" ? [{ ...place, id: node.id }] : []));
    const marksOf = input.marks && asOf === undefined ? await markCards(memory, cards) : undefined;
    const { edges, total, hasMore: hasMoreEdges } = beside.edges;
    const lastEdge = edges.at(-1)?.last_seq;
    const next = nodes.at(-1)?.last_seq;
    return {
      ...place,
      nodes: nodes.map((node) => {
        const shown = showVersion(node) as z.input<typeof markedSchema>;
        const { doubts = [], ground } = marksOf?.({ ...place, id: shown.id }) ?? {};
        const reversed = doubts.length > 0 && { rests_on_reversed: doubts.map(({ id }) => id) };
        return { ...shown, ...ground, ...reversed };
      }),
      edges: edges.map((edge) => showVersion(edge) as z.input<typeof edgeSchema>),
      edges_total: total,
      edges_has_more: hasMoreEdges,
      ...(hasMoreEdges && lastEdge !== undefined && { edges_next_cursor: lastEdge }),
      pagination: describePage({ cursor, limit, count: nodes.length, hasMore, next }),
    };
  },
});

const nodeList: ListPlan = {
  key: "nodes",
  oldest: "last",
  cursor: ({ last_seq }) => last_seq,
  stub: stubNode,
};
const edgeList: ListPlan = { key: "edges", oldest: "last", mayBeEmpty: true };

const edgesOf = (result: Json) => result["edges"] as { from: string; to: string; last_seq: number }[];

/** Also drops the edges of dropped nodes. */
function dropLooseEdges(result: Json, whole: Json): Json {
  const ids = new Set((result["nodes"] as { id: string }[]).map(({ id }) => id));
  const edges = edgesOf(result).filter(({ from, to }) => ids.has(from) || ids.has(to));
  return describeEdges({ ...result, edges }, whole);
}

/** Reports where a truncated list of edges continues. */
function describeEdges(result: Json, whole: Json): Json {
  const edges = edgesOf(result);
  if (edges.length === edgesOf(whole).length) return result;
  const { edges_next_cursor: _before, ...rest } = result;
  const last = edges.at(-1)?.last_seq;
  return { ...rest, edges_has_more: true, ...(last !== undefined && { edges_next_cursor: last }) };
}
