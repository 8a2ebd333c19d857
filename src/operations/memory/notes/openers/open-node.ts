import type { GraphVersion } from "../../../../domain/memory/graph.ts";
import type { GraphPlace } from "../../../../domain/memory/steps/outcomes.ts";
import type { MemoryContext } from "../../../pipeline/context.ts";
import { showVersion } from "../../graph/version-schemas.ts";
import { checkoutOrDefault } from "../../scope.ts";
import type { Opened } from "./opened-schema.ts";

const maxEdges = 100;

/** A node as the checkout shows it, else as it was last anywhere. */
export async function openNode(memory: MemoryContext, id: string): Promise<Opened | undefined> {
  const branch = checkoutOrDefault(memory);
  const found = await memory.memory.findNode(memory.workspace, branch, id, maxEdges);
  if (!found) return undefined;
  const { node, place } = found;
  const { edges, total } = found.edges;
  const isCard = id.startsWith("CARD-");
  return {
    kind: isCard ? "card" : "node",
    id,
    head: headOf(node, place),
    [isCard ? "card" : "node"]: contentOf(node),
    edges: groupEdges(edges, "outgoing", id, isCard ? ["supports", "blocks"] : []),
    incoming: groupEdges(edges, "incoming", id),
    edges_total: total,
  };
}

export function contentOf(version: GraphVersion): Record<string, unknown> {
  const { last_seq: _seq, last_ts_ms: _ts, deleted: _deleted, ...content } = showVersion(version);
  return content;
}

export const headOf = ({ last_seq, last_ts_ms }: GraphVersion, place: GraphPlace) => ({
  seq: last_seq,
  ts: new Date(last_ts_ms).toISOString(),
  ts_ms: last_ts_ms,
  ...place,
});

/** By relation: the nodes at the other ends; cards always tell what they support and block. */
function groupEdges(
  edges: readonly GraphVersion[],
  way: "outgoing" | "incoming",
  id: string,
  always: readonly string[] = [],
): Record<string, string[]> {
  const [here, there] = way === "outgoing" ? (["from", "to"] as const) : (["to", "from"] as const);
  const grouped = new Map<string, string[]>(always.map((rel) => [rel, []]));
  for (const edge of edges) {
    if (edge.kind !== "edge" || edge[here] !== id) continue;
    const others = grouped.get(edge.rel);
    if (others) others.push(edge[there]);
    else grouped.set(edge.rel, [edge[there]]);
  }
  return Object.fromEntries(grouped);
}
