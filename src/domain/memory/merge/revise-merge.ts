import type { MergeDecision, MergeKey } from "./decide-merge.ts";

export type MergeRevision = {
  /** Were to be applied, and are not any more, or not as they were. */
  withdrawn: MergeKey[];
  /** Are applied after all, or as they are now. */
  added: MergeKey[];
};

/** What has become different between deciding a merge and publishing it. */
export function reviseMerge(before: MergeDecision, after: MergeDecision): MergeRevision {
  if (before === after) return { withdrawn: [], added: [] };
  return { withdrawn: without(before.apply, after.apply), added: without(after.apply, before.apply) };
}

function without(some: readonly MergeKey[], others: readonly MergeKey[]): MergeKey[] {
  const known = new Map(others.map((other) => [other.key, other]));
  return some.filter(({ key, theirs, ours }) => {
    const other = known.get(key);
    return !other || other.theirs?.seq !== theirs?.seq || other.ours?.seq !== ours?.seq;
  });
}
