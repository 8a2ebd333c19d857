import type { ThoughtRelation } from "./cipher-graph.ts";

export type Standing = "stands" | "rejected" | "replaced" | "contradicted";

/**
 * Decides whether a thought is still valid. A thought that was itself rejected or replaced contradicts
 * nothing. `isRejected` must already reflect all links added so far.
 */
export function createStandings<Key>(isRejected: (key: Key) => boolean) {
  const replaced = new Set<Key>();
  const against = new Map<Key, Set<Key>>();
  const isDropped = (key: Key): boolean => isRejected(key) || replaced.has(key);
  return {
    add(from: Key, to: Key, relation: ThoughtRelation): void {
      if (relation === "revises") replaced.add(to);
      if (relation !== "against") return;
      const known = against.get(to);
      if (known) known.add(from);
      else against.set(to, new Set([from]));
    },
    of(key: Key): Standing {
      if (isRejected(key)) return "rejected";
      if (replaced.has(key)) return "replaced";
      return [...(against.get(key) ?? [])].every(isDropped) ? "stands" : "contradicted";
    },
    isDropped,
  };
}
