import type { MergeFacts, MergeKey, OpenConflict } from "./decide-merge.ts";
import { nothing } from "./three-way.ts";

/** What was found out about some of the keys of a merge. */
export type FactSlice = Pick<MergeFacts, "keys" | "others" | "edgesHere">;

/** Facts that were gathered bit by bit; of a key that was looked at again the last look counts. */
export function combineFacts(
  names: MergeFacts["names"],
  open: readonly OpenConflict[],
  slices: readonly FactSlice[],
): MergeFacts {
  const keys = lastOfEach(slices.map((slice) => slice.keys));
  const others = lastOfEach(slices.map((slice) => slice.others));
  const edges = lastOfEach(slices.map((slice) => slice.edgesHere));
  return {
    names,
    keys: [...keys.values()],
    others: [...others.values()].filter(({ key }) => !keys.has(key)),
    edgesHere: [...edges.values()].filter(({ ours }) => ours !== undefined && ours.fingerprint !== nothing),
    open,
  };
}

function lastOfEach(lists: readonly (readonly MergeKey[])[]): Map<string, MergeKey> {
  return new Map(lists.flat().map((key) => [key.key, key]));
}
