import * as z from "zod";
import type { GraphVersion } from "../../../domain/memory/graph.ts";
import type { GraphPlace } from "../../../domain/memory/steps/outcomes.ts";
import { quote } from "../../../kernel/text.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { clampedLimit, limitOf } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { branch, doc, target } from "../fields.ts";
import { checkoutOrDefault, resolveDoc } from "../scope.ts";
import { edgeSchema, nodeIdField, nodeSchema, showVersion, stubNode } from "./graph-schemas.ts";

const edgesPerStep = 500;
const farthest = 5;

const nearNode = nodeSchema.extend({ distance: z.int() });

export const walk = defineMemory({
  name: "walk",
  title: "Walk a graph",
  summary: "Shows the neighbourhood of a card or node, following edges in both directions, nearest first.",
  effect: "read",
  input: {
    id: nodeIdField.min(1).describe("Card or node to start from."),
    depth: limitOf("steps away", { min: 1, max: farthest, default: 2 }),
    limit: clampedLimit(50),
    target: target.optional(),
    branch: branch.optional(),
    doc: doc.optional(),
  },
  output: {
    branch: z.string(),
    doc: z.string(),
    nodes: z.array(nearNode),
    edges: z.array(edgeSchema),
    beyond: z.int(),
  },
  trim: {
    list: [
      { key: "edges", oldest: "last", mayBeEmpty: true },
      { key: "nodes", oldest: "last", stub: (node) => ({ ...stubNode(node), distance: node["distance"] }) },
    ],
    adjust: dropLooseEdges,
    goesOn: (args, { nodes }) => {
      const last = (nodes as { id: string }[] | undefined)?.at(-1);
      return last ? [{ operation: "walk", args: { ...args, id: last.id, depth: 1 } }] : [];
    },
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    { title: "around a hypothesis", given: "a workspace with a graph", input: { id: "h1", depth: 1 } },
  ],

  async handle({ id, depth, limit, ...asked }, memory) {
    const place = await findPlace(memory, id, asked);
    const { memory: store, workspace } = memory;
    const distances = new Map([[id, 0]]);
    const edges = new Map<number, GraphVersion>();
    let beyond = 0;
    for (let [step, front] = [1, [id]]; step <= depth && front.length > 0; step += 1) {
      const page = await store.queryEdges(workspace, {
        ...place,
        ids: front,
        ends: "touching",
        limit: edgesPerStep,
      });
      if (page.hasMore) beyond += page.total - page.edges.length;
      const next: string[] = [];
      for (const edge of page.edges) {
        if (edge.kind !== "edge") continue;
        for (const end of [edge.from, edge.to]) {
          if (distances.has(end)) continue;
          if (distances.size >= limit) beyond += 1;
          else {
            distances.set(end, step);
            next.push(end);
          }
        }
        edges.set(edge.last_seq, edge);
      }
      front = next;
    }
    const ids = [...distances.keys()];
    const query = { ...place, ids, includeDeleted: false, limit: ids.length };
    const { nodes } = await store.queryNodes(workspace, query);
    if (!nodes.some((node) => node.kind === "node" && node.id === id)) return unknown(memory, id);
    const distanceOf = (node: GraphVersion) => distances.get(node.kind === "node" ? node.id : "") ?? farthest;
    const near = nodes.toSorted(
      (one, other) => distanceOf(one) - distanceOf(other) || other.last_seq - one.last_seq,
    );
    const shown = new Set(near.map((node) => (node.kind === "node" ? node.id : "")));
    return {
      ...place,
      nodes: near.map((node) => ({
        ...(showVersion(node) as z.input<typeof nodeSchema>),
        distance: distanceOf(node),
      })),
      edges: [...edges.values()]
        .filter((edge) => edge.kind === "edge" && shown.has(edge.from) && shown.has(edge.to))
        .map((edge) => showVersion(edge) as z.input<typeof edgeSchema>),
      beyond,
    };
  },
});

type Asked = { target?: string | undefined; branch?: string | undefined; doc?: string | undefined };

/** Returns the requested place, or the place that contains the node if none was requested. */
async function findPlace(
  memory: MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID">,
  id: string,
  asked: Asked,
): Promise<GraphPlace> {
  if (Object.values(asked).some((value) => value !== undefined)) return resolveDoc(memory, asked, "graph");
  const found = await memory.memory.findNode(memory.workspace, checkoutOrDefault(memory), id, 0);
  return found?.place ?? unknown(memory, id);
}

const unknown = ({ workspace, fail }: MemoryContext<"UNKNOWN_ID">, id: string): never =>
  fail("UNKNOWN_ID", `No card or node has the ID ${quote(id, 100)}.`, {
    details: { id },
    recovery: {
      hint: "List the newest nodes, or pass `text` to search for words.",
      operation: "graph_query",
      args: { workspace },
    },
  });

/** Also drops the edges of dropped nodes. */
function dropLooseEdges(result: Record<string, unknown>): Record<string, unknown> {
  const ids = new Set((result["nodes"] as { id: string }[]).map(({ id }) => id));
  const edges = (result["edges"] as { from: string; to: string }[]).filter(
    ({ from, to }) => ids.has(from) && ids.has(to),
  );
  return { ...result, edges };
}
