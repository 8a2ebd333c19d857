import type { Bench } from "../row.ts";
import { levelName } from "./fill-memory.ts";

const depth = 32;
export const deepest = levelName(depth);

/** The two sizes of graph that rows look at: 5 versions of every node, along 32 nested branches. */
export const graphSizes = ({ quick }: Bench): readonly number[] =>
  quick ? [1_000, 4_000] : [20_000, 100_000];

export function openNested(bench: Bench, nodes: number): Promise<string> {
  return bench.stores.remembered({ nodes, versions: 5, depth });
}

/** A graph without branches, every node of which was written so often. */
export function openHistory(bench: Bench, versions: number): Promise<string> {
  return bench.stores.remembered({ nodes: bench.quick ? 500 : 2_000, versions, depth: 0 });
}

/** A flat graph of so many nodes, for writing: a copy of one's own. */
export async function copyFlat(bench: Bench, nodes: number): Promise<string> {
  return bench.stores.copyOf(await bench.stores.remembered({ nodes, versions: 1, depth: 0 }));
}
