import type { MergeDecision, MergeKey } from "./decide-merge.ts";

export type MergeRevision = {
  /** Were to be applied, and are not any more, or not as they were. */
  withdrawn: MergeKey[];
  /** Are applied after all, or as they are now. */
  added: MergeKey[];
};

/** What has become different between deciding a merge and publishing it. */
export function reviseMerge(before: MergeDecision, after: MergeDecision): MergeRevision {
  return { withdrawn: without(before.apply, after.apply), added: without(after.apply, before.apply) };
}

function without(some: readonly MergeKey[], others: readonly MergeKey[]): MergeKey[] {
  const known = new Map(others.map(({ key, theirs }) => [key, theirs?.seq]));
  return some.filter(({ key, theirs }) => !known.has(key) || known.get(key) !== theirs?.seq);
}
