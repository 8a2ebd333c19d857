import type { MemoryEdge, MemoryNode } from "../../wire-memory.ts";

type Graph = { nodes: readonly MemoryNode[]; edges: readonly MemoryEdge[] };

/** The nodes within `steps` of one node, whichever way the edges point, with their distance from it. */
export function nearNodes({ nodes, edges }: Graph, id: string, steps: number) {
  const neighbours = new Map<string, string[]>();
  for (const { from, to } of edges) {
    for (const [one, other] of [[from, to] as const, [to, from] as const]) {
      const list = neighbours.get(one);
      if (list) list.push(other);
      else neighbours.set(one, [other]);
    }
  }
  const distances = new Map([[id, 0]]);
  let rim = [id];
  for (let distance = 1; distance <= steps; distance += 1) {
    const next = rim.flatMap((node) => neighbours.get(node) ?? []).filter((node) => !distances.has(node));
    for (const node of next) distances.set(node, distance);
    rim = [...new Set(next)];
  }
  const near = nodes.flatMap((node) => {
    const distance = distances.get(node.id);
    return distance === undefined ? [] : [{ ...node, distance }];
  });
  return { nodes: near, edges: edges.filter(({ from, to }) => distances.has(from) && distances.has(to)) };
}
