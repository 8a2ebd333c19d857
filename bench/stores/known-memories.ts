import type { Bench } from "../row.ts";
import { levelName } from "./fill-memory.ts";

const depth = 32;
export const deepest = levelName(depth);

/** Returns the two graph sizes that rows use, with 5 versions of every node along 32 nested branches. */
export const graphSizes = ({ quick }: Bench): readonly number[] =>
  quick ? [1_000, 4_000] : [20_000, 100_000];

export function openNested(bench: Bench, nodes: number): Promise<string> {
  return bench.stores.remembered({ nodes, versions: 5, depth });
}

/** Opens an unbranched graph with this many versions of each node. */
export function openHistory(bench: Bench, versions: number): Promise<string> {
  return bench.stores.remembered({ nodes: bench.quick ? 500 : 2_000, versions, depth: 0 });
}

/** Returns a separate copy of a flat graph, to write to. */
export async function copyFlat(bench: Bench, nodes: number): Promise<string> {
  return bench.stores.copyOf(await bench.stores.remembered({ nodes, versions: 1, depth: 0 }));
}
